// What held up the end of the simulated iterations.

import { axis, chart, row_px, rows_axis, tooltip } from '../chart.js';
import { details_table, table } from '../dom.js';
import * as format from '../format.js';

export function critical_path(data) {
  if (!data.critical_path) return undefined;
  const { phases, ranks, waits = [], makespan_s } = data.critical_path;
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
    `How much of the simulated time the path spends in each ${data.is_program ? 'function' : 'phase'}.` +
      (shares.length < phases.length ? ' Shares below 0.05 % are left out.' : ''),
    (narrow) => 60 + shares.length * row_px(narrow),
    describe,
    ({ colours: now, narrow, width }) => ({
      grid: { left: 8, right: 64, top: 8, bottom: 20, containLabel: true },
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
      yAxis: rows_axis(now, narrow, shares.map(name_of), width),
      series: [
        {
          type: 'bar',
          barMaxWidth: narrow ? 14 : 20,
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
  const awaited = ({ rank, ranks: all }) =>
    `rank ${rank}` + (all > 1 ? ` and ${format.counted(all - 1, 'other rank')}` : '');
  const said = (wait) =>
    `${share(wait.seconds)} of the way: ${wait.place} waits for ${wait.awaited} of ${awaited(wait)}.`;
  return {
    id: 'critical-path',
    heading: 'Critical path',
    shows:
      'The chain of work and messages that the end of the run waits for. Each piece had to wait for the one before it, so to shorten anything else brings the end no nearer. ' +
      (data.is_program
        ? 'The chain stays on its rank in a wait for a nonblocking collective operation or for a lock. '
        : '') +
      `It passes through ${format.count(ranks.length)} of ${format.counted(data.runs[data.focus].ranks, 'rank')}. It spends the most time on ${longest}.` +
      (waits.length > 0 ? ` ${said(waits[0])}` : ''),
    source: `Simulated on ${data.platforms[data.focus_platform].name}${format.drawn_iterations(data)}. The path is ${format.seconds(makespan_s)} long.`,
    parts: [
      drawn,
      ...(waits.length > 0
        ? [
            table(
              'Who waits for whom on the path, from when the rank began to wait. Where several ranks wait at the same time, it counts once',
              ['waits', 'for', 'of', 'time', 'share'],
              waits.map((wait) => [
                wait.place,
                wait.awaited,
                awaited(wait),
                format.seconds(wait.seconds),
                share(wait.seconds),
              ]),
              3,
            ),
          ]
        : []),
      details_table('Time on the critical path by rank', ['rank', 'time', 'share'], () =>
        ranks.map(([rank, seconds]) => [`${rank}`, format.seconds(seconds), share(seconds)]),
      ),
    ],
  };
}
