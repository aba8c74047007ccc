// Why it takes longer: work, calls themselves, and the causes of waiting.

import { axis, chart, legend_above, row_px, rows_axis, tooltip } from '../chart.js';
import * as format from '../format.js';
import { signed, whole_table } from './tables.js';

const times = ['before', 'now', 'change'];

/** The table's columns that are of one platform. */
const of_platform = ({ columns, rows }, platform) => ({
  columns: [
    columns[0],
    ...times.map((when) => ({ ...columns.find(({ name }) => name === `${platform}_${when}_s`), heading: when })),
  ],
  rows,
});

export function causes({ diff, platforms }) {
  const all = diff.tables.causes;
  if (!all) return undefined;
  const rows = platforms.flatMap(({ name }) => ['before', 'now'].map((when) => ({ name, when })));
  const key = ({ name, when }) => `${name}_${when}_s`;
  const parts = all.rows.filter((part) => part.cause !== 'sum' && rows.some((row) => part[key(row)] !== 0));
  const describe = () =>
    `Seconds of a rank by cause. ${platforms
      .map(({ name }) => `${name}: ${parts.map((part) => `${part.cause} ${signed(part[`${name}_change_s`])}`).join(', ')}.`)
      .join(' ')}`;
  const drawn = chart(
    'What the seconds of the run are made of, in the mean of the ranks, before and now.',
    (narrow) => 90 + rows.length * (row_px(narrow) + 6),
    describe,
    ({ colours: now, narrow, width }) => {
      const series = parts.map((part, number) => ({
        name: part.cause,
        type: 'bar',
        stack: 'causes',
        barMaxWidth: 18,
        itemStyle: { color: number < 6 ? now.series(number) : now.muted },
        data: rows.map((row) => part[key(row)]),
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 24, top, bottom: 22, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          ({ dataIndex, seriesName, value }) =>
            `${format.escaped(rows[dataIndex].name)}, ${rows[dataIndex].when}<br>${seriesName}: ${format.seconds(value)}`,
        ),
        xAxis: axis(now, {
          type: 'value',
          name: 'simulated time',
          nameGap: 28,
          axisLabel: { formatter: format.seconds },
        }),
        yAxis: rows_axis(now, narrow, rows.map(({ name, when }) => `${name}, ${when}`), width),
        series,
      };
    },
  );
  return {
    id: 'causes',
    heading: 'By cause',
    shows:
      'What a rank does in the seconds of the run: work, calls themselves (overheads and copies within a node), and waiting by its causes. ' +
      'A rank that has ended before others has nothing more to do.',
    source: 'Simulated. The causes of waiting: docs/waits.md.',
    parts: [drawn, ...platforms.map(({ name }) => whole_table(`Seconds of a rank by cause on ${name}`, of_platform(all, name)))],
  };
}
