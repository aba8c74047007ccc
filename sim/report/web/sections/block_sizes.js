// What BLOCKSIZE does to each policy.

import { axis, chart, legend_above, time_axis, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

export function block_sizes(data) {
  if (!data.block_sizes) return undefined;
  const { policies, points, most_messages_simulated, most_iterations_simulated } = data.block_sizes;
  const run = data.runs[data.focus];
  const curves = policies.map((policy, number) => ({
    policy,
    points: points.map((point) => [point.block_size, point.closed_form_s[number]]),
  }));
  const simulated = points
    .filter((point) => point.simulated_s > 0)
    .map((point) => [point.block_size, point.simulated_s]);
  const best = curves.map(({ policy, points: curve }) => {
    const [size, time] = curve.reduce((a, b) => (b[1] < a[1] ? b : a));
    return `${policy}: best at BLOCKSIZE ${format.count(size)} with ${format.seconds(time)}.`;
  });

  const drawn = chart(
    'Time of one iteration by BLOCKSIZE, both logarithmic. Lines: closed form; circles: simulated.',
    (narrow) => (narrow ? 440 : 380),
    () => `BLOCKSIZE of three policies. ${best.join(' ')}`,
    ({ colours: now, width }) => {
      const series = [
        ...curves.map(({ policy, points: curve }, number) => ({
          name: `${policy}, closed form`,
          type: 'line',
          data: curve,
          symbolSize: 7,
          symbol: ['triangle', 'rect', 'diamond'][number],
          itemStyle: { color: now.series(number + 1) },
          lineStyle: { width: 2, type: ['dashed', 'dotted', 'solid'][number] },
        })),
        {
          name: `${run.name}, simulated`,
          type: 'scatter',
          data: simulated,
          symbol: 'circle',
          symbolSize: 12,
          itemStyle: { color: 'transparent', borderColor: now.simulated, borderWidth: 2.5 },
        },
      ];
      const { legend, top } = legend_above(now, series, width);
      return {
        grid: { left: 70, right: 24, top, bottom: 48 },
        legend,
        tooltip: tooltip(
          now,
          (point) =>
            `${format.escaped(point.seriesName)}<br>BLOCKSIZE ${format.count(point.value[0])}: ${format.seconds(point.value[1])}`,
        ),
        xAxis: axis(now, {
          type: 'log',
          logBase: 2,
          name: 'BLOCKSIZE, elements',
          nameGap: 28,
          axisLabel: { formatter: format.count },
        }),
        yAxis: time_axis(now, 'log', 54, data),
        series,
      };
    },
  );
  const columns = [
    'BLOCKSIZE',
    ...policies.map((policy) => `${policy}, closed form`),
    `${run.name}, simulated`,
  ];
  return {
    id: 'block-sizes',
    heading: 'BLOCKSIZE',
    shows: `Every block of so many rows has one owner. Small blocks spread the rows over the ranks, large ones keep neighbours together. ${best.join(' ')}`,
    source:
      `${format.count(run.ranks)} ranks on ${data.platforms[data.focus_platform].name}. Closed form: eqs. (16)–(18), accesses counted in the matrix for each BLOCKSIZE. ` +
      `Simulated: the largest few with at most ${format.count(most_messages_simulated)} messages an iteration, the mean of ${most_iterations_simulated} iterations.`,
    parts: [
      drawn,
      details_table(
        'Time of one iteration by BLOCKSIZE',
        columns,
        () =>
          points.map((point) => [
            format.count(point.block_size),
            ...point.closed_form_s.map(format.seconds),
            format.or(format.seconds, point.simulated_s),
          ]),
        0,
      ),
    ],
  };
}
