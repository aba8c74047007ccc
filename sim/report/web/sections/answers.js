// measured | simulated | closed form.

import { chart, legend_above, log_time_axis, row_px, rows_axis, tooltip } from '../chart.js';
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
  return `${data.platforms[answer.platform].name}, ${format.counted(run.ranks, 'rank')}${run.recorded ? ', recorded' : ''}`;
}

/** Measured times enter no error figure where ranks outnumbered cores, or where the platform is another machine. */
const judged = (run) => run.recorded && !run.recorded.oversubscribed && !run.recorded.elsewhere;

/** A line breaks only before the bracket. */
function with_interval({ simulated_s, simulated_low_s: low, simulated_high_s: high }) {
  const interval = high > 0 ? ` (${format.seconds(low)}–${format.seconds(high)})`.replaceAll(' ', '\u00a0').replace('\u00a0(', ' (') : '';
  return `${format.seconds(simulated_s)}${interval}`;
}

/** Where the true times lie in 90 of 100 cases, as lines. */
function intervals(data, now) {
  return {
    type: 'custom',
    name: 'simulated, 90 of 100 cases',
    silent: true,
    z: 1,
    itemStyle: { color: now.simulated },
    data: data.answers.flatMap(({ simulated_low_s: low, simulated_high_s: high }, row) =>
      low > 0 ? [{ value: [low, row, high] }] : [],
    ),
    encode: { x: [0, 2], y: 1 },
    renderItem: (_, api) => {
      const [x1, y] = api.coord([api.value(0), api.value(1)]);
      const [x2] = api.coord([api.value(2), api.value(1)]);
      return { type: 'line', shape: { x1, y1: y, x2, y2: y }, style: { stroke: now.simulated, lineWidth: 2, opacity: 0.6 } };
    },
  };
}

export function answers(data) {
  const any_judged = data.runs.some(judged);
  const any_closed_form = data.answers.some((answer) => answer.closed_form_s);
  const any_measured = data.answers.some((answer) => answer.measured_s);
  // Recordings of one program have long names, which say no more than the numbers of ranks do.
  const labels = data.answers.map((answer) => label_of(data, answer));
  const names_runs = !data.is_program || new Set(labels).size < labels.length;
  const quantities = data.totals?.columns ?? [];
  const rows = data.answers.map((answer, number) => {
    const run = data.runs[answer.run];
    const reference = judged(run) ? answer.measured_s : undefined;
    return [
      label_of(data, answer),
      ...(names_runs ? [run.name] : []),
      format.count(run.nodes),
      format.count(Math.min(run.ranks, run.ranks_per_node)),
      ...(any_measured ? [format.or(format.seconds, answer.measured_s)] : []),
      with_interval(answer),
      ...(any_closed_form || !data.is_program ? [format.or(format.seconds, answer.closed_form_s)] : []),
      ...(any_judged
        ? [format.error(answer.simulated_s, reference), format.error(answer.closed_form_s, reference)]
        : []),
      ...(any_closed_form
        ? [answer.closed_form_s ? (answer.simulated_s / answer.closed_form_s).toFixed(2) : '–']
        : []),
      ...quantities.map(({ name, unit }) => format.quantity(unit, data.totals.rows[number][name])),
    ];
  });
  const columns = [
    'platform and ranks',
    ...(names_runs ? ['run'] : []),
    'nodes',
    'ranks a node',
    ...(any_measured ? ['measured'] : []),
    'simulated',
    ...(any_closed_form || !data.is_program ? ['closed form'] : []),
    ...(any_judged ? ['error, simulated', 'error, closed form'] : []),
    ...(any_closed_form ? ['simulated / closed form'] : []),
    ...quantities.map(({ heading }) => heading),
  ];
  const describe = () =>
    `Seconds of ${format.whole(data)}, of each run. ${data.answers
      .map(
        (answer) =>
          `${label_of(data, answer)}: ${sources
            .filter(([source]) => answer[key(source)] > 0)
            .map(([source]) => `${source} ${source === 'simulated' ? with_interval(answer) : format.seconds(answer[key(source)])}`)
            .join(', ')}.`,
      )
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
        }));

  const drawn = chart(
    `Time of ${format.whole(data)} on a logarithmic axis. Each row is one run on one platform.`,
    (narrow) => 84 + data.answers.length * row_px(narrow),
    describe,
    ({ colours: now, narrow, width }) => {
      const series = [...series_of(now), intervals(data, now)].filter((each) => each.data.length > 0);
      const { legend, top } = legend_above(now, series, width, 14);
      return {
        grid: { left: 12, right: 24, top, bottom: 20, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          (point) => `${format.escaped(point.name)}<br>${point.seriesName}: ${format.seconds(point.value[0])}`,
        ),
        xAxis: log_time_axis(now, series.flatMap((each) => each.data.flatMap(({ value: [least, , most = least] }) => [least, most])), 26, data),
        yAxis: {
          ...rows_axis(now, narrow, data.answers.map((answer) => label_of(data, answer)), width),
          splitLine: { show: true, lineStyle: { color: now.line, opacity: 0.4 } },
        },
        series,
      };
    },
  );

  const recorded = data.runs.filter((run) => run.recorded);
  const measured =
    recorded.length === 0
      ? 'Measured: none of these runs was recorded.'
      : recorded
          .map(
            (run) =>
              `Measured: ${run.recorded.trace}${run.recorded.machine ? `, ${run.recorded.machine}` : ''}, ${data.is_program ? 'one run' : `median of ${format.counted(run.recorded.iterations, 'iteration')}`}` +
              `${run.recorded.oversubscribed ? '; there were more ranks than cores, so no error is computed' : ''}` +
              `${run.recorded.elsewhere ? `; ${run.recorded.elsewhere}` : ''}.`,
          )
          .join(' ');
  return {
    id: 'answers',
    heading: data.is_program ? 'Measured and simulated' : 'Measured, simulated, closed form',
    shows:
      `How long ${format.whole(data)} takes. ${any_measured ? 'Measured: the time of a recorded run. ' : ''}Simulated: a replay of all messages on the platform; the line through it, and the times in brackets, say where the true time lies in 90 of 100 cases. Some of its parts were measured, others are assumptions: docs/intervals.md. ` +
      (any_closed_form ? 'Closed form: the equations of Lagravière et al. 2019, without a simulation.' : '') +
      (any_judged ? ' An error is positive where the answer is longer than the measured time.' : ''),
    source: `${measured}${data.is_program ? '' : ' Closed form: eqs. (16)–(18), (21), (22).'}`,
    parts: [drawn, table(`Time of ${format.whole(data)}`, columns, rows, names_runs ? 2 : 1)],
  };
}
