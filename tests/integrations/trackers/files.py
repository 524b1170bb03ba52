"""Reads what trackers have written, to check it: the logs of W&B and of TensorBoard."""

from __future__ import annotations

import json
import struct

BLOCK = 32768
"""Bytes of a block in W&B's files, which are logs as LevelDB writes them."""


def wandb_records(path):
    """The records in the file of an offline run."""
    from wandb.proto import wandb_internal_pb2

    data, at, part = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if BLOCK - at % BLOCK < 7:  # no place for a header: padding
            at += BLOCK - at % BLOCK
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        part += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last part
            record = wandb_internal_pb2.Record()
            record.ParseFromString(part)
            part = b""
            yield record


def wandb_run(path):
    """The steps, the summary, the configuration and the exit code of an offline run."""
    steps, summary, config, code = [], {}, {}, None
    for record in wandb_records(path):
        kind = record.WhichOneof("record_type")
        if kind == "history":
            steps.append(_values(record.history.item))
        elif kind == "summary":
            summary |= _values(record.summary.update)
        elif kind == "run":
            config |= _values(record.run.config.update)
        elif kind == "exit":
            code = record.exit.exit_code
    return steps, summary, config, code


def _values(items):
    return {"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in items}


def tensorboard_scalars(folder):
    """``{tag: [(step, value), ...]}`` of the event files in a folder."""
    from tensorboardX.proto.event_pb2 import Event

    found = {}
    for path in sorted(folder.glob("events.*")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            (length,) = struct.unpack("<Q", data[at : at + 8])
            event = Event.FromString(data[at + 12 : at + 12 + length])
            at += 16 + length
            for value in event.summary.value:
                if value.WhichOneof("value") == "simple_value":
                    found.setdefault(value.tag, []).append((event.step, value.simple_value))
                else:
                    found.setdefault(value.tag, []).append((event.step, value))
    return found
