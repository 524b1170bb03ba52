"use strict";
// A click on a header sorts by its column: numbers before texts, blank cells last.
for (const table of document.querySelectorAll("table.trials")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = [...table.tBodies[0].rows].map((row) => {
        const cell = row.cells[column];
        const text = (cell.title || cell.textContent).trim();
        return { row, text, number: text === "" ? NaN : Number(text) };
      });
      keyed.sort((a, b) => {
        if (!a.text || !b.text) return Number(!a.text) - Number(!b.text);
        const numeric = [!isNaN(a.number), !isNaN(b.number)];
        let order = Number(numeric[1]) - Number(numeric[0]);
        if (numeric[0] && numeric[1]) order = a.number - b.number;
        else if (!order) order = a.text < b.text ? -1 : Number(a.text > b.text);
        return up ? order : -order;
      });
      table.tBodies[0].append(...keyed.map((key) => key.row));
    });
  });
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const text = button.parentElement.nextElementSibling;
    getSelection().selectAllChildren(text); // so that Ctrl-C works where copying is not allowed
    const done = () => {
      button.textContent = "Copied";
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, () => {});
  });
}
