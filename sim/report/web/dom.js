// Small pieces of the page. Text is set as text, never as HTML.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Columns that say the same in every row leave the table, and are said once in its caption.
 *  @return {columns, rows, said} */
function without_constants(columns, rows) {
  const is_constant = (column) =>
    column > 0 && rows.length > 1 && rows.every((row) => row[column] === rows[0][column]);
  const stays = (_, column) => !is_constant(column);
  return {
    columns: columns.filter(stays),
    rows: rows.map((row) => row.filter(stays)),
    said: columns.flatMap((name, column) => (is_constant(column) ? [`${name}: ${rows[0][column]}`] : [])),
    text: (text_columns) => columns.filter((_, column) => column < text_columns && !is_constant(column)).length,
  };
}

const first_rows = 10;

/** A long table begins with its first rows, and a button shows the others.
 *  @param columns  names; the first `text_columns` hold text, the others numbers
 *  @param rows     arrays of text */
export function table(title, all_columns, all_rows, all_text_columns = 1) {
  const { columns, rows, said, text } = without_constants(all_columns, all_rows);
  const text_columns = text(all_text_columns);
  const caption = said.length === 0 ? title : `${title}. The same in every row: ${said.join('; ')}`;
  // On a phone, two numbers stand in a line, but a number with its interval takes a line of its own.
  const class_of = (text, column) => (column < text_columns ? 'text' : text.length > 14 ? 'long' : undefined);
  const cell = (tag, text, column, extra = {}) => {
    const name = class_of(text, column);
    return element(
      tag,
      { 'data-column': columns[column], ...(name ? { class: name } : {}), ...extra },
      text,
    );
  };
  const head = element(
    'tr',
    {},
    ...columns.map((name, column) => cell('th', name, column, { scope: 'col' })),
  );
  const row_of = (row) =>
    element(
      'tr',
      {},
      ...row.map((text, column) =>
        column === 0 ? cell('th', text, 0, { scope: 'row' }) : cell('td', text, column),
      ),
    );
  const is_long = rows.length > 1.5 * first_rows;
  const body = element('tbody', {}, ...rows.slice(0, is_long ? first_rows : rows.length).map(row_of));
  const all = element('button', { type: 'button' }, `Show all ${rows.length} rows`);
  all.addEventListener('click', () => {
    body.append(...rows.slice(first_rows).map(row_of));
    all.remove();
  });
  const shown = element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    element(
      'table',
      { class: 'blocks' },
      element('caption', {}, caption),
      element('thead', {}, head),
      body,
    ),
  );
  return is_long ? element('div', {}, shown, all) : shown;
}

export const details = (summary, ...children) =>
  element('details', {}, element('summary', {}, summary), ...children);

/** A table that is made when it is first looked at: the page opens sooner. */
export function details_table(caption, columns, rows, text_columns = 1) {
  const made = details('The data as a table');
  made.addEventListener('toggle', () => {
    if (made.open && made.children.length === 1) made.append(table(caption, columns, rows(), text_columns));
  });
  return made;
}

/** Radio buttons in a row. @param choices  {value: label} */
export function choice(legend, choices, chosen) {
  const name = `choice-${document.querySelectorAll('fieldset').length}-${legend.replace(/\W/g, '')}`;
  const labels = Object.entries(choices).map(([value, label], number) => {
    const input = element('input', { type: 'radio', name, value });
    input.checked = number === 0;
    input.addEventListener('change', () => chosen(value));
    return element('label', {}, input, label);
  });
  return element('fieldset', { class: 'controls' }, element('legend', {}, legend), ...labels);
}

/** A drop-down list. @param choices  labels; `chosen` gets their numbers */
export function menu(label, choices, first, chosen) {
  const select = element(
    'select',
    {},
    ...choices.map((text, number) => element('option', { value: number }, text)),
  );
  select.value = first;
  select.addEventListener('change', () => chosen(Number(select.value)));
  return element('div', { class: 'controls' }, element('label', {}, `${label} `, select));
}
