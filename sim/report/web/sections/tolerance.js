// How much worse each number may be until the run takes so much longer.

import { axis, chart, legend_above, log_axis, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

const most_lines = 8;
const most_percent = 10; // of what is drawn
const marks = ['circle', 'rect', 'triangle', 'diamond'];

const times = (factor) => `${Number(factor.toPrecision(4))}x`;

export function tolerance(data) {
  if (!data.tolerance) return undefined;
  const { total_s, factors, longer, numbers } = data.tolerance;
  const percents = longer.map((share) => Number((100 * share).toPrecision(3)));
  const goals = percents.map((percent) => `${percent} %`);
  /** [times worse, percent longer, whether the run takes just so much longer], from nothing on. */
  const points_of = ({ totals_s, tolerated }) =>
    [
      [1, 0, false],
      ...factors.map((factor, at) => [1 / factor, 100 * (totals_s[at] / total_s - 1), false]),
      ...tolerated.map((factor, at) => [factor, percents[at], true]).filter(([factor]) => factor !== null),
    ]
      .filter(([, percent]) => percent <= most_percent)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const felt = numbers
    .filter(({ tolerated }) => tolerated[0] !== null)
    .sort((a, b) => a.tolerated[0] - b.tolerated[0]);
  const rows = [...felt, ...numbers.filter((number) => !felt.includes(number))];
  const lines = (felt.length > 0 ? felt : rows)
    .slice(0, most_lines)
    .map((number) => ({ name: number.name, points: points_of(number), number }));
  const farthest = Math.max(...lines.flatMap(({ points }) => points.map(([factor]) => factor)));
  const ticks = [1, ...factors.map((factor) => 1 / factor).reverse(), farthest];
  const describe = () =>
    `How much longer the run of ${format.seconds(total_s)} takes if one number is worse. ` +
    lines
      .map(
        ({ name, number }) =>
          `${name}: ${goals.map((goal, at) => `${goal} longer ${number.tolerated[at] === null ? 'never' : `at ${times(number.tolerated[at])}`}`).join(', ')}.`,
      )
      .join(' ');

  const drawn = chart(
    `How much longer the run takes if one number is so many times worse, on a logarithmic axis. Large marks: it takes ${goals.join(', ')} longer. ` +
      `Lines end before it takes ${most_percent} % longer` +
      (rows.length > lines.length ? `; the table has all ${rows.length} numbers.` : '.'),
    (narrow) => 380 + (narrow ? 24 : 12) * lines.length,
    describe,
    ({ colours: now, width }) => {
      const series = lines.map(({ name, points }, number) => ({
        name,
        type: 'line',
        data: points,
        symbol: marks[number % marks.length],
        symbolSize: ([, , is_goal]) => (is_goal ? 11 : 5),
        itemStyle: { color: now.series(number) },
        lineStyle: { width: 2, type: number < marks.length ? 'solid' : 'dashed' },
      }));
      const { legend, top } = legend_above(now, series, width);
      return {
        grid: { left: 58, right: 24, top, bottom: 48 },
        legend,
        tooltip: tooltip(
          now,
          ({ seriesName, value }) =>
            `${format.escaped(seriesName)}<br>${times(value[0])} worse: ${value[1].toFixed(2)} % longer`,
        ),
        xAxis: log_axis(
          now,
          [],
          { name: 'times worse', nameGap: 28, axisLabel: { formatter: times } },
          ticks.slice(0, 1 + Math.max(1, ticks.findIndex((tick) => tick >= farthest))),
        ),
        yAxis: axis(now, {
          type: 'value',
          min: 0,
          max: most_percent,
          name: 'time added',
          nameGap: 40,
          axisLabel: { formatter: (value) => `${value} %` },
        }),
        series,
      };
    },
  );
  return {
    id: 'tolerance',
    heading: 'How much worse it may get',
    shows:
      'Each line is the whole run, simulated again with one number worse: a lower bandwidth, a longer time, or more work. ' +
      'The flatter a line is, the more of this the run tolerates.',
    source: `Simulated on ${data.platforms[data.focus_platform].name}. Where the run takes just so much longer was found by bisection.`,
    parts: [
      drawn,
      table(
        'How many times worse a number may be until the run takes longer; the least tolerated first',
        ['what', 'now', ...goals.map((goal) => `${goal} longer`)],
        rows.map(({ name, now, tolerated }) => [
          name,
          now,
          ...tolerated.map((factor) => (factor === null ? 'never' : times(factor))),
        ]),
        2,
      ),
    ],
  };
}
