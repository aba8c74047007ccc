// What BLOCKSIZE does to each policy.

import { chart, legend_above, log_axis, log_time_axis, marks_at, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

const marks = ['triangle', 'rect', 'diamond', 'pin'];
const dashes = ['dashed', 'dotted', 'solid'];

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
    return `${format.count(size)} for ${policy} (${format.seconds(time)})`;
  });
  const said = `The closed form is shortest at BLOCKSIZE ${best.join(', ')}.`;

  const drawn = chart(
    'Time of one iteration by BLOCKSIZE, on logarithmic axes. Lines are the closed form, empty circles are simulated.',
    (narrow) => (narrow ? 440 : 380),
    () => `BLOCKSIZE of ${policies.length} policies. ${said}`,
    ({ colours: now, width }) => {
      const series = [
        ...curves.map(({ policy, points: curve }, number) => ({
          name: `${policy}, closed form`,
          type: 'line',
          data: curve,
          symbolSize: 7,
          symbol: marks[number % marks.length],
          itemStyle: { color: now.series(number + 1) },
          lineStyle: { width: 2, type: dashes[number % dashes.length] },
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
        xAxis: log_axis(
          now,
          [],
          { logBase: 2, name: 'BLOCKSIZE, elements', nameGap: 28, axisLabel: { formatter: format.count } },
          marks_at(points.map((point) => point.block_size)),
        ),
        yAxis: log_time_axis(now, series.flatMap((each) => each.data.map((point) => point[1])), 54, data),
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
    shows: `BLOCKSIZE consecutive rows have one owner, and the blocks are dealt to the ranks in turn. Small blocks spread neighbouring rows over many ranks, large blocks keep them together. ${said}`,
    source:
      `${format.counted(run.ranks, 'rank')} on ${data.platforms[data.focus_platform].name}. Closed form: eqs. (16)–(18), with the accesses counted in the matrix for each BLOCKSIZE. ` +
      `Simulated: the largest few BLOCKSIZEs that need at most ${format.count(most_messages_simulated)} messages an iteration; the time is the mean of ${most_iterations_simulated} iterations.`,
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
