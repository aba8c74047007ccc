// The tables of `finegrain diff`, as docs/json.md describes them.

import { table } from '../dom.js';
import * as format from '../format.js';

/** The columns of a table that hold seconds. */
export const times_of = ({ columns }) => columns.filter(({ unit }) => unit === 's');

/** "+12 µs" */
export const signed = (value) => (value > 0 ? `+${format.seconds(value)}` : format.seconds(value).replace('-', '−'));

/** All rows, with changes signed. @param text_columns  how many columns hold text */
export const whole_table = (title, { columns, rows }, text_columns = 1) =>
  table(
    title,
    columns.map(({ heading }) => heading),
    rows.map((row) =>
      columns.map(({ name, unit }) => {
        const value = row[name];
        if (typeof value !== 'number') return value ?? '–';
        return unit === 's' && name.includes('change') ? signed(value) : format.quantity(unit, value);
      }),
    ),
    text_columns,
  );
