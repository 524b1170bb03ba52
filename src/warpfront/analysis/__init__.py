"""What a fitted model says of a study: slices, surfaces, importance, and the axes to show them on.

The report and the interactive figures draw what is computed here.
"""
