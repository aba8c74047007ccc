// What the run would gain if one number were better.

import { axis, chart, legend_above, row_px, rows_axis, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

const most_bars = 10;

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
  const gains = numbers.filter(({ totals_s }) => totals_s.some((time_s) => gain(time_s) !== 0));
  const bars = (gains.length > 0 ? gains : numbers).slice(0, most_bars);
  const without = numbers.length - bars.length;
  // The smallest factor's bar is drawn last, over the others.
  const drawn_factors = factors.map((factor, at) => ({ factor, at })).reverse();
  const describe = () =>
    `Time gained, of ${format.seconds(total_s)}, with each number ${better(factors.at(-1))} better. ` +
    bars.map(({ name, totals_s }) => `${name}: ${gain(totals_s.at(-1)).toFixed(2)} %.`).join(' ');

  const drawn = chart(
    'How much shorter the run is if one number is better, in percent of its time.' +
      (without > 0 ? ` The table also has ${without === 1 ? 'one number that gains' : `${without} numbers that gain`} less, or nothing.` : ''),
    (narrow) => 90 + bars.length * row_px(narrow),
    describe,
    ({ colours: now, narrow, width }) => ({
      grid: { left: 8, right: 24, top: 36, bottom: 22, containLabel: true },
      legend: legend_above(now, drawn_factors.map(({ factor }) => ({ name: `${better(factor)} better` })), width, 16).legend,
      tooltip: tooltip(
        now,
        ({ seriesName, value, dataIndex }) =>
          `${format.escaped(bars[dataIndex].name)}, now ${format.escaped(bars[dataIndex].now)}<br>${seriesName}: ${value.toFixed(2)} % gained`,
      ),
      xAxis: axis(now, {
        type: 'value',
        name: 'time gained',
        nameGap: 28,
        axisLabel: { formatter: (value) => `${value} %` },
      }),
      yAxis: rows_axis(now, narrow, bars.map(({ name }) => name), width),
      series: drawn_factors.map(({ factor, at }, number) => ({
        name: `${better(factor)} better`,
        type: 'bar',
        barGap: '-100%',
        barMaxWidth: narrow ? 14 : 18,
        itemStyle: { color: now.series(number) },
        data: bars.map(({ totals_s }) => gain(totals_s[at])),
      })),
    }),
  );
  return {
    id: 'sensitivity',
    heading: 'What would make it faster',
    shows:
      'Each row is the whole run, simulated again with one number better. A better bandwidth is higher; a better time or amount of work is smaller. ' +
      'An elasticity of 1 means that the time of the run is in proportion to the number; 0 means that the number does not matter.',
    source: `Simulated on ${data.platforms[data.focus_platform].name}. Of single ranks, only the ${most_ranks} with the most work were tried.`,
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
