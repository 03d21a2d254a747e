// Tables are sorted by a click on a header, or by Enter or Space on it; the third time they stand as they stood.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headers = [...table.tHead.rows[0].cells];
  const letters = new Intl.Collator("en", { numeric: true });
  const value = (row, place) => {
    const cell = row.cells[place];
    const told = cell.dataset.value;
    if (told === undefined) return cell.textContent;
    if (told === "true" || told === "false") return told === "true" ? 1 : 0;
    return told === "" ? NaN : Number(told);
  };
  const compare = (one, other) => (typeof one === "string" ? letters.compare(one, other) : one - other);

  headers.forEach((header, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    const first = header.dataset.first;
    const second = first === "ascending" ? "descending" : "ascending";
    button.addEventListener("click", () => {
      const before = header.getAttribute("aria-sort");
      const order = before === first ? second : before === second ? null : first;
      for (const each of headers) each.removeAttribute("aria-sort");
      if (order === null) {
        body.append(...rows);
        return;
      }
      header.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const keyed = rows.map((row) => [value(row, place), row]);
      // What is undefined stands last in either order.
      keyed.sort(([one], [other]) =>
        Number.isNaN(one) || Number.isNaN(other)
          ? Number.isNaN(one) - Number.isNaN(other)
          : sign * compare(one, other));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}
