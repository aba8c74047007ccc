// All points that are shown, as a table that can be sorted by any column.

import { element } from '../dom.js';
import * as format from '../format.js';
import { in_order, name_of_time, view_of } from './view.js';

// On a phone each takes several lines.
const first_shown = matchMedia('(max-width: 40rem)').matches ? 8 : 20;

/** [heading, value of a point, its text, whether it is text] */
function columns_of(study, view) {
  const plain = (value) => (typeof value === 'number' ? format.count(value) : (value ?? '–'));
  const number = (heading, value, text) => ({ heading, value, text: (given) => format.or(text, given) });
  return [
    number('point', (point) => point.number, format.count),
    ...study.axes.map((heading, axis) => ({
      heading,
      value: (point) => point.values[axis],
      text: plain,
      is_text: view.values[axis].some((value) => typeof value === 'string'),
    })),
    ...(study.axes.includes('nodes') ? [] : [number('nodes', (point) => point.nodes, format.count)]),
    ...view.times.map((key) => number(name_of_time(key), (point) => point[key], format.seconds)),
    number('node-hours', (point) => (point.nodes * point[view.time]) / 3600, format.node_hours),
    ...(view.has_slow_down ? [number('slow-down', (point) => point.slow_down, format.ratio)] : []),
    ...(view.has_energy ? [number('energy', (point) => point.simulated_j, format.joules)] : []),
  ];
}

export function points(data) {
  const view = view_of(data);
  const columns = columns_of(data.study, view);
  const sorting = { by: columns.findIndex(({ heading }) => heading === name_of_time(view.time)), down: false };
  let shown = first_shown;
  const head = element('tr');
  const body = element('tbody');
  const more = element('button', { type: 'button' });
  const below = element('div');

  const fill = () => {
    const { value } = columns[sorting.by];
    const rows = view.points().sort((a, b) => in_order(value(a), value(b)));
    if (sorting.down) rows.reverse();
    columns.forEach((_, number) =>
      head.children[number].setAttribute(
        'aria-sort',
        number !== sorting.by ? 'none' : sorting.down ? 'descending' : 'ascending',
      ),
    );
    body.replaceChildren(
      ...rows.slice(0, shown).map((point) =>
        element(
          'tr',
          {},
          ...columns.map((column) =>
            element(
              'td',
              { 'data-column': column.heading, ...(column.is_text ? { class: 'text' } : {}) },
              column.text(column.value(point)),
            ),
          ),
        ),
      ),
    );
    more.textContent = `Show all ${format.count(rows.length)}`;
    below.replaceChildren(...(rows.length > shown ? [more] : []));
  };
  head.append(
    ...columns.map(({ heading, is_text }, number) => {
      const button = element('button', { type: 'button', class: 'sort' }, heading);
      button.addEventListener('click', () => {
        sorting.down = sorting.by === number && !sorting.down;
        sorting.by = number;
        fill();
      });
      return element('th', { scope: 'col', ...(is_text ? { class: 'text' } : {}) }, button);
    }),
  );
  more.addEventListener('click', () => {
    shown = Infinity;
    fill();
  });
  view.on_change(fill);
  fill();
  const caption = 'The points that are drawn above. Click a heading to sort by its column, and click again to reverse the order.';
  return {
    id: 'points',
    heading: 'Points',
    shows: caption,
    source: 'finegrain study export prints all columns, and the seconds of every phase.',
    parts: [
      element(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All points that are shown' },
        element('table', { id: 'table-of-points', class: 'blocks sortable' }, element('thead', {}, head), body),
      ),
      below,
    ],
  };
}
