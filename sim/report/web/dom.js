// Small pieces of the page. Text is set as text, never as HTML.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param columns  names; those of text end in nothing, those of numbers are in `numbers`
 *  @param rows     arrays of text */
export function table(caption, columns, rows, text_columns = 1) {
  const cell = (tag, text, column, extra = {}) =>
    element(tag, column < text_columns ? { class: 'text', ...extra } : extra, text);
  const head = element(
    'tr',
    {},
    ...columns.map((name, column) => cell('th', name, column, { scope: 'col' })),
  );
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...row.map((text, column) =>
        column === 0 ? cell('th', text, 0, { scope: 'row' }) : cell('td', text, column),
      ),
    ),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', {}, caption),
      element('thead', {}, head),
      element('tbody', {}, ...body),
    ),
  );
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
