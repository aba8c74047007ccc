// How each rank's time has changed.

import { axis, chart, legend_above, tooltip } from '../chart.js';
import { signed, times_of, whole_table } from './tables.js';

const most_bars = 128;

export function ranks({ diff, platforms }) {
  const all = diff.tables.ranks;
  if (!all) return undefined;
  const parts = times_of(all).filter(({ name }) => name !== 'change_s' && all.rows.some((row) => row[name] !== 0));
  if (parts.length === 0) return undefined;
  const by_work = [...all.rows].sort((a, b) => Math.abs(b.work_change_s) - Math.abs(a.work_change_s));
  const drawn_ranks = new Set(by_work.slice(0, most_bars).map(({ rank }) => rank));
  const bars = all.rows.filter(({ rank }) => drawn_ranks.has(rank));
  const describe = () =>
    `How much longer ranks take. ${by_work
      .slice(0, 8)
      .map((row) => `Rank ${row.rank}: ${parts.map(({ name, heading }) => `${heading} ${signed(row[name])}`).join(', ')}.`)
      .join(' ')}`;
  const drawn = chart(
    `Seconds more than before, by rank${bars.length < all.rows.length ? `, of the ${bars.length} ranks whose work has changed most` : ''}. ` +
      'What takes less than before is drawn downwards. The parts of each rank add up to the difference of the runs.',
    340,
    describe,
    ({ colours: now, width }) => {
      const series = parts.map(({ name, heading }, number) => ({
        name: heading,
        type: 'bar',
        stack: 'parts',
        barMaxWidth: 40,
        itemStyle: { color: now.series(number) },
        data: bars.map((row) => row[name]),
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 80, right: 16, top, bottom: 48 },
        legend,
        tooltip: tooltip(now, ({ name, seriesName, value }) => `rank ${name}<br>${seriesName}: ${signed(value)}`),
        xAxis: axis(now, {
          type: 'category',
          data: bars.map(({ rank }) => rank),
          name: 'rank',
          nameGap: 28,
          axisLine: { onZero: false, lineStyle: { color: now.line } },
        }),
        yAxis: axis(now, {
          type: 'value',
          name: 'more than before',
          nameGap: 62,
          axisLabel: { formatter: signed },
        }),
        series,
      };
    },
  );
  return {
    id: 'ranks',
    heading: 'By rank',
    shows: 'How each rank’s work, calls and waits have changed. Work that grew on few ranks makes the others wait for them.',
    source: `Simulated on ${platforms[0].name}.`,
    parts: [drawn, whole_table('How many seconds more than before, by rank', all)],
  };
}
