// Where the time of an iteration goes.

import { axis, chart, legend_above, time_axis, tooltip } from '../chart.js';
import { choice, details_table, element, menu } from '../dom.js';
import * as format from '../format.js';

const most_times_longer = 5;
const percent = (share) => `${Math.round(100 * share)} %`;

/** Bars from bottom to top, with the time of a phase in each. */
function bars_of(answer) {
  const bars = [['simulated', (phase) => phase.simulated_s.mean]];
  if (answer.closed_form_s !== undefined) bars.unshift(['closed form', (phase) => phase.closed_form_s]);
  if (answer.measured_s !== undefined) bars.push(['measured', (phase) => phase.measured_s.mean]);
  return bars;
}

export function phases(data) {
  const labels = data.answers.map(
    (answer) =>
      `${data.platforms[answer.platform].name}, ${data.runs[answer.run].name}, ${format.counted(data.runs[answer.run].ranks, 'rank')}`,
  );
  let shown = data.answers.findIndex(
    (answer) => answer.run === data.focus && answer.platform === data.focus_platform,
  );
  const describe = () =>
    `Phases of ${labels[shown]}. ${data.answers[shown].phases
      .map(
        (phase) =>
          `${phase.name}: simulated ${format.seconds(phase.simulated_s.mean)}` +
          `${data.is_program ? '' : `, closed form ${format.or(format.seconds, phase.closed_form_s)}`}.`,
      )
      .join(' ')}`;

  /** Of seconds, a bar that is a thousand times longer than another would hide that one. */
  const total_of = (answer, time_of) => answer.phases.reduce((sum, phase) => sum + (time_of(phase) ?? 0), 0);
  const differ_much = data.answers.some((answer) => {
    const totals = bars_of(answer).map(([, time_of]) => total_of(answer, time_of)).filter((total) => total > 0);
    return Math.max(...totals) > most_times_longer * Math.min(...totals);
  });
  let scale = differ_much ? 'share' : 'time';
  const scales = { time: 'time', share: 'share of each bar' };

  const drawn = chart(
    data.is_program
      ? 'A bar is a rank’s time, on average: computing first, then the functions that take longest.'
      : 'A bar is one iteration: its phases in the order of the program.',
    (narrow) => (narrow ? 320 : 250),
    describe,
    ({ colours: now, width }) => {
      const answer = data.answers[shown];
      const bars = bars_of(answer);
      const total = (time_of) => total_of(answer, time_of);
      const is_share = scale === 'share';
      const length_of = (time_of, phase) => (time_of(phase) ?? 0) / (is_share ? total(time_of) || 1 : 1);
      const takes_time = (phase) => bars.some(([, time_of]) => time_of(phase) > 0);
      const series = answer.phases.filter(takes_time).map((phase) => ({
        name: phase.name,
        type: 'bar',
        stack: 'iteration',
        barMaxWidth: 40,
        itemStyle: { color: now.phase(phase.kind), borderColor: now.page, borderWidth: 1 },
        data: bars.map(([, time_of]) => length_of(time_of, phase)),
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 24, top, bottom: 22, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          ({ dataIndex, seriesName, value }) => {
            const [name, time_of] = bars[dataIndex];
            const seconds = is_share ? value * total(time_of) : value;
            const share = `${(100 * (seconds / (total(time_of) || 1))).toFixed(1)} %`;
            const phase = answer.phases.find(({ name: of_phase }) => of_phase === seriesName);
            const late = name === 'simulated' && phase.late_s?.mean > 0 ? `, of it late ${format.seconds(phase.late_s.mean)}` : '';
            return `${format.escaped(name)}, ${format.escaped(seriesName)}: ${format.seconds(seconds)}, ${share}${late}`;
          },
        ),
        xAxis: is_share
          ? axis(now, { type: 'value', max: 1, name: 'share of the bar’s time', nameGap: 26, nameLocation: 'middle', axisLabel: { formatter: percent } })
          : time_axis(now, 26, data),
        yAxis: axis(now, {
          type: 'category',
          data: bars.map(([name, time_of]) => `${name}\n${format.seconds(total(time_of))}`),
        }),
        series,
      };
    },
  );
  const table_place = element('div');
  const show_table = () =>
    table_place.replaceChildren(
      details_table(
        `Phases of ${labels[shown]}`,
        [
          'phase',
          'measured, mean',
          'measured, slowest rank',
          'simulated, mean',
          'simulated, slowest rank',
          'of the mean: waiting for',
          'closed form',
        ],
        () =>
          data.answers[shown].phases.map((phase) => [
            phase.name,
            format.or(format.seconds, phase.measured_s?.mean),
            format.or(format.seconds, phase.measured_s?.slowest),
            format.seconds(phase.simulated_s.mean),
            format.seconds(phase.simulated_s.slowest),
            (phase.waits ?? []).map(({ name, seconds }) => `${name} ${format.seconds(seconds)}`).join(', ') || format.or(format.seconds, phase.late_s?.mean),
            format.or(format.seconds, phase.closed_form_s),
          ]),
      ),
    );
  show_table();
  return {
    id: 'phases',
    heading: data.is_program ? 'Functions' : 'Phases',
    shows: data.is_program
      ? 'Where the time goes: computing, and each MPI function. The time of a function includes waiting in it, for partners that come late and for the transfer.'
      : 'Where the time of one iteration goes. "Wait" is the time in which a rank waits for messages of others.',
    source: data.is_program
      ? 'Simulated and measured: the mean over all ranks.'
      : 'Simulated and measured: the mean over all ranks. Closed form: the times of the node and the rank that decide the total. ' +
        'The closed form has no cost for barriers and for posting messages.',
    parts: [
      menu('Run', labels, shown, (number) => {
        shown = number;
        drawn.redraw();
        show_table();
      }),
      choice('Scale', differ_much ? { share: scales.share, time: scales.time } : scales, (chosen) => {
        scale = chosen;
        drawn.redraw();
      }),
      drawn,
      table_place,
    ],
  };
}
