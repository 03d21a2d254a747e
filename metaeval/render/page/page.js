// A click on a header, or Enter or Space, sorts the table; the third click restores the original order.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headers = [...[...table.tHead.rows].at(-1).cells];
  const letters = new Intl.Collator("en", { numeric: true });
  const value = (row, place) => {
    const cell = row.cells[place];
    const data = cell.dataset.value;
    if (data === undefined) return cell.textContent;
    if (data === "true" || data === "false") return data === "true" ? 1 : 0;
    return data === "" ? NaN : Number(data);
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
      // Undefined values are last in both orders.
      keyed.sort(([one], [other]) =>
        Number.isNaN(one) || Number.isNaN(other)
          ? Number.isNaN(one) - Number.isNaN(other)
          : sign * compare(one, other));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}
