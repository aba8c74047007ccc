// What the run would gain if one number were better.

import { axis, chart, legend_above, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

const most_bars = 16;

/** "1 %", or "2x" from half as good again on. */
const better = (factor) =>
  factor < 1.5 ? `${Number((100 * (factor - 1)).toPrecision(3))} %` : `${Number(factor.toPrecision(3))}x`;

export function sensitivity(data) {
  if (!data.sensitivity) return undefined;
  const { total_s, factors, most_ranks, numbers } = data.sensitivity;
  const gain = (time_s) => {
    const percent = 100 * (1 - time_s / total_s);
    return Math.abs(percent) < 0.005 ? 0 : percent; // no "-0.00"
  };
  const bars = numbers.slice(0, most_bars);
  // The smallest factor's bar is drawn last, over the others.
  const drawn_factors = factors.map((factor, at) => ({ factor, at })).reverse();
  const describe = () =>
    `Time gained, of ${format.seconds(total_s)}, with each number ${better(factors.at(-1))} better. ` +
    bars.map(({ name, totals_s }) => `${name}: ${gain(totals_s.at(-1)).toFixed(2)} %.`).join(' ');

  const drawn = chart(
    'How much shorter the run is with one number better, in percent of its time; the largest gain on top.' +
      (numbers.length > bars.length ? ` The first ${bars.length} of ${numbers.length} numbers.` : ''),
    (narrow) => 100 + bars.length * (narrow ? 30 : 26),
    describe,
    ({ colours: now, narrow, width }) => ({
      grid: { left: 8, right: 30, top: 36, bottom: 44, containLabel: true },
      legend: legend_above(now, drawn_factors.map(({ factor }) => ({ name: better(factor) })), width, 16).legend,
      tooltip: tooltip(
        now,
        ({ seriesName, value, dataIndex }) =>
          `${format.escaped(bars[dataIndex].name)}, now ${format.escaped(bars[dataIndex].now)}<br>${seriesName} better: ${value.toFixed(2)} % gained`,
      ),
      xAxis: axis(now, {
        type: 'value',
        inverse: true,
        name: 'time gained',
        nameGap: 28,
        axisLabel: { formatter: (value) => `${value} %` },
      }),
      yAxis: axis(now, {
        type: 'category',
        inverse: true,
        position: 'right',
        data: bars.map(({ name }) => name),
        axisLabel: { interval: 0, width: narrow ? 130 : 260, overflow: 'truncate' },
      }),
      series: drawn_factors.map(({ factor, at }, number) => ({
        name: better(factor),
        type: 'bar',
        barGap: '-100%',
        barMaxWidth: 18,
        itemStyle: { color: now.series(number) },
        data: bars.map(({ totals_s }) => gain(totals_s[at])),
      })),
    }),
  );
  return {
    id: 'sensitivity',
    heading: 'What would make it faster',
    shows:
      'Each row is the whole run, simulated again with one number better: a bandwidth higher; a time, or an amount of work, smaller. ' +
      'Elasticity is 1 where all of the time is in proportion to the number, and 0 where it does not matter.',
    source: `Simulated on ${data.platforms[data.focus_platform].name}, nothing is differentiated. Work of single ranks: of the ${most_ranks} that work most.`,
    parts: [
      drawn,
      table(
        'Percent of the time gained, the largest gain first',
        ['what', 'now', ...factors.map((factor) => `${better(factor)} better`), 'elasticity'],
        numbers.map(({ name, now, totals_s, elasticity }) => [
          name,
          now,
          ...totals_s.map((time_s) => `${gain(time_s).toFixed(2)} %`),
          (Math.abs(elasticity) < 5e-4 ? 0 : elasticity).toFixed(3),
        ]),
        2,
      ),
    ],
  };
}
