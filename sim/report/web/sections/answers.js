// measured | simulated | closed form.

import { axis, chart, legend_above, time_axis, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

const sources = [
  ['measured', 'diamond'],
  ['simulated', 'circle'],
  ['closed form', 'triangle'],
];
const key = (source) => `${source.replace(' ', '_')}_s`;

function label_of(data, answer) {
  const run = data.runs[answer.run];
  return `${data.platforms[answer.platform].name}, ${format.count(run.ranks)} ranks${run.recorded ? ', recorded' : ''}`;
}

/** Measured times enter no error figure where ranks outnumbered cores, or where the platform is another machine. */
const judged = (run) => run.recorded && !run.recorded.oversubscribed && !run.recorded.elsewhere;

export function answers(data) {
  const any_judged = data.runs.some(judged);
  const any_closed_form = data.answers.some((answer) => answer.closed_form_s);
  const rows = data.answers.map((answer) => {
    const run = data.runs[answer.run];
    const reference = judged(run) ? answer.measured_s : undefined;
    return [
      label_of(data, answer),
      run.name,
      format.count(run.nodes),
      format.or(format.seconds, answer.measured_s),
      format.seconds(answer.simulated_s),
      ...(any_closed_form || !data.is_program ? [format.or(format.seconds, answer.closed_form_s)] : []),
      ...(any_judged
        ? [format.error(answer.simulated_s, reference), format.error(answer.closed_form_s, reference)]
        : []),
      ...(any_closed_form
        ? [answer.closed_form_s ? (answer.simulated_s / answer.closed_form_s).toFixed(2) : '–']
        : []),
    ];
  });
  const columns = [
    'platform and ranks',
    'run',
    'nodes',
    'measured',
    'simulated',
    ...(any_closed_form || !data.is_program ? ['closed form'] : []),
    ...(any_judged ? ['sim. error', 'c.f. error'] : []),
    ...(any_closed_form ? ['sim. / c.f.'] : []),
  ];
  const describe = () =>
    `Seconds of ${format.whole(data)}, of each run. ${rows
      .map((row) => `${row[0]}: measured ${row[3]}, simulated ${row[4]}${any_closed_form ? `, closed form ${row[5]}` : ''}.`)
      .join(' ')}`;

  const series_of = (now) =>
    sources
        .map(([name, symbol]) => ({
          name,
          type: 'scatter',
          symbol,
          symbolSize: 13,
          itemStyle: { color: now[key(name).slice(0, -2)], borderColor: now.page, borderWidth: 1 },
          data: data.answers.flatMap((answer, row) =>
            answer[key(name)] > 0 ? [{ name: label_of(data, answer), value: [answer[key(name)], row] }] : [],
          ),
        }))
        .filter((series) => series.data.length > 0);

  const drawn = chart(
    `Time of ${format.whole(data)}, logarithmic. Each row is one run on one platform.`,
    (narrow) => 104 + data.answers.length * (narrow ? 34 : 26),
    describe,
    ({ colours: now, narrow, width }) => {
      const series = series_of(now);
      const { legend, top } = legend_above(now, series, width);
      return {
        grid: { left: narrow ? 8 : 12, right: 24, top, bottom: 40, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          (point) => `${format.escaped(point.name)}<br>${point.seriesName}: ${format.seconds(point.value[0])}`,
        ),
        xAxis: time_axis(now, 'log', 26, data),
        yAxis: axis(now, {
          type: 'category',
          inverse: true,
          data: data.answers.map((answer) => label_of(data, answer)),
          splitLine: { show: true, lineStyle: { color: now.line, opacity: 0.4 } },
          axisLabel: { width: narrow ? 120 : 240, overflow: 'break', interval: 0 },
        }),
        series,
      };
    },
  );

  const recorded = data.runs.filter((run) => run.recorded);
  const measured =
    recorded.length === 0
      ? 'Measured: nobody ran these.'
      : recorded
          .map(
            (run) =>
              `Measured: ${run.recorded.trace}${run.recorded.machine ? `, ${run.recorded.machine}` : ''}, ${data.is_program ? 'one run' : `median of ${format.count(run.recorded.iterations)} iterations`}` +
              `${run.recorded.oversubscribed ? '; oversubscribed (more ranks than cores), so it enters no error figure' : ''}` +
              `${run.recorded.elsewhere ? `; ${run.recorded.elsewhere}` : ''}.`,
          )
          .join(' ');
  return {
    id: 'answers',
    heading: data.is_program ? 'Measured and simulated' : 'Measured, simulated, closed form',
    shows:
      `How long ${format.whole(data)} takes: ${any_closed_form ? 'measured, simulated, and by the equations of the paper' : 'measured and simulated'}.` +
      (any_judged ? ' Errors are signed, against what was measured.' : ''),
    source: `${measured} Simulated: a replay on each platform file (${data.network_model}).${data.is_program ? '' : ' Closed form: eqs. (16)–(18), (21), (22).'}`,
    parts: [drawn, table(`Time of ${format.whole(data)}`, columns, rows, 2)],
  };
}
