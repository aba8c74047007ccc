// Which lines of the source take longer.

import { axis, chart, legend_above, long_names, row_px, rows_axis, tooltip } from '../chart.js';
import * as format from '../format.js';
import { signed, times_of, whole_table } from './tables.js';

const most_bars = 12;

/** The colour of a platform, by its number: not that of measured times. */
const colour_of = (now, number) => now.series(number < 2 ? number : number + 1);

export function places({ diff }) {
  const all = diff.tables.places;
  // Rows that sum up others have no calls; work has none either.
  const single = all.rows.filter((row) => row.calls !== null || row.place === 'compute');
  const times = times_of(all).filter(({ name }) => single.some((row) => (row[name] ?? 0) !== 0));
  if (times.length === 0) return undefined;
  const size = (row) => Math.max(...times.map(({ name }) => Math.abs(row[name] ?? 0)));
  const bars = [...single].sort((a, b) => size(b) - size(a)).slice(0, most_bars);
  const one = diff.by === 'place' ? 'line' : 'function';
  const describe = () =>
    `How much longer each ${one} takes. ` +
    bars
      .slice(0, 8)
      .map((row) => `${row.place}: ${times.map(({ name, heading }) => `${signed(row[name])} ${heading}`).join(', ')}.`)
      .join(' ');
  const drawn = chart(
    `Seconds of a rank more than before, of the ${format.counted(bars.length, one)} that changed most. To the left: less than before.`,
    (narrow) => 90 + bars.length * (row_px(narrow) + 6 * times.length),
    describe,
    ({ colours: now, narrow, width }) => {
      const platforms = times.filter(({ origin }) => origin !== 'measured');
      const series = times.map(({ name, heading, origin }) => ({
        name: heading,
        type: 'bar',
        barMaxWidth: 12,
        itemStyle: { color: origin === 'measured' ? now.measured : colour_of(now, platforms.findIndex((it) => it.name === name)) },
        data: bars.map((row) => row[name]),
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 24, top, bottom: 22, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          ({ dataIndex, seriesName, value }) =>
            `${format.escaped(bars[dataIndex].place)}<br>${seriesName}: ${signed(value)}`,
        ),
        xAxis: axis(now, {
          type: 'value',
          name: 'more than before',
          nameGap: 28,
          axisLabel: { formatter: signed },
        }),
        yAxis: {
          ...rows_axis(now, narrow, long_names(bars.map(({ place }) => place), narrow, width), width),
          axisLine: { onZero: false, lineStyle: { color: now.line } },
        },
        series,
      };
    },
  );
  return {
    id: 'places',
    heading: `By ${one}`,
    shows: `Which ${one}s call, send or take more than before. A line that only moved is the same line. Work is in compute.`,
    source: 'Calls, messages and bytes are counted in the recordings, of all ranks. The sum is the difference of the runs.',
    parts: [drawn, whole_table(`How much more than before, by ${one}`, all)],
  };
}
