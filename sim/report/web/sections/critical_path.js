// What held up the end of the simulated iterations.

import { axis, chart, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

export function critical_path(data) {
  if (!data.critical_path) return undefined;
  const { phases, ranks, makespan_s } = data.critical_path;
  const share = (seconds) => `${((100 * seconds) / makespan_s).toFixed(1)} %`;
  const least_s = 0.0005 * makespan_s; // 0.0 % would be printed
  const shares = phases.filter((phase) => phase.seconds >= least_s).sort((a, b) => b.seconds - a.seconds);
  const name_of = (phase) => (phase.what === 'busy' ? phase.name : `${phase.name}: ${phase.what}`);
  const longest = ranks
    .slice(0, 5)
    .map(([rank, seconds]) => `rank ${rank} (${share(seconds)})`)
    .join(', ');
  const describe = () =>
    `Critical path of ${format.seconds(makespan_s)}. ` +
    shares.map((phase) => `${name_of(phase)}: ${share(phase.seconds)}.`).join(' ');

  const drawn = chart(
    'Share of the simulated time, by phase, of what nobody could have waited less for.' +
      (shares.length < phases.length ? ' Shares below 0.05 % are left out.' : ''),
    (narrow) => 60 + shares.length * (narrow ? 34 : 30),
    describe,
    ({ colours: now, narrow }) => ({
      grid: { left: 8, right: 70, top: 8, bottom: 40, containLabel: true },
      tooltip: tooltip(
        now,
        (bar) => `${format.escaped(bar.name)}: ${format.seconds(shares[bar.dataIndex].seconds)}`,
      ),
      xAxis: axis(now, {
        type: 'value',
        name: 'share of the simulated time',
        nameGap: 26,
        axisLabel: { formatter: (value) => `${value} %` },
      }),
      yAxis: axis(now, {
        type: 'category',
        inverse: true,
        data: shares.map(name_of),
        axisLabel: { interval: 0, width: narrow ? 110 : 200, overflow: 'break' },
      }),
      series: [
        {
          type: 'bar',
          barMaxWidth: 22,
          label: {
            show: true,
            position: 'right',
            color: now.text,
            formatter: ({ value }) => `${value.toFixed(1)} %`,
          },
          data: shares.map((phase) => ({
            value: (100 * phase.seconds) / makespan_s,
            itemStyle: {
              color: now.phase(
                phase.what === 'busy' ? phase.kind : phase.what === 'barrier' ? 'barrier' : 'wait',
              ),
            },
          })),
        },
      ],
    }),
  );
  return {
    id: 'critical-path',
    heading: 'Critical path',
    shows:
      'The longest chain of work and messages, each of which had to wait for the one before: shorten anything else, and the end comes no sooner. ' +
      (data.is_program
        ? 'A wait for a collective operation that does not block, or for a lock, is not followed to other ranks. '
        : '') +
      `It passes through ${format.count(ranks.length)} of ${format.count(data.runs[data.focus].ranks)} ranks, longest through ${longest}.`,
    source: `Simulated on ${data.platforms[data.focus_platform].name}${data.is_program ? '' : ', the first iterations as in the timeline'}: the longest path of the replay's happens-before graph, ${format.seconds(makespan_s)} long.`,
    parts: [
      drawn,
      details_table('Time on the critical path by rank', ['rank', 'time', 'share'], () =>
        ranks.map(([rank, seconds]) => [`${rank}`, format.seconds(seconds), share(seconds)]),
      ),
    ],
  };
}
