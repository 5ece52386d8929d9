"use strict";
// A click on a heading sorts the rows by its column, a second one the other way around. What is no number comes last.
for (const table of document.querySelectorAll("table.sortable")) {
  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head) return;
    const column = head.cellIndex, up = head.getAttribute("aria-sort") !== "ascending", sign = up ? 1 : -1;
    const numeric = head.classList.contains("number");
    const keyed = [...table.tBodies[0].rows].map((row) => {
      const text = row.cells[column] ? row.cells[column].textContent.trim() : "";
      return { row, text, value: parseFloat(text) };
    });
    keyed.sort((a, b) => {
      if (!numeric) return sign * a.text.localeCompare(b.text, undefined, { numeric: true });
      if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
      return sign * (a.value - b.value);
    });
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].append(...keyed.map((k) => k.row));
  });
}
