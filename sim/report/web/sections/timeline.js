// Ranks by time, as it was simulated: phases, messages, and what held up the end.

import { axis, chart, tooltip } from '../chart.js';
import { choice, details_table } from '../dom.js';
import * as format from '../format.js';
import { legend_of, span_series, time_axis_of, time_zoom, zoom_buttons } from './time_window.js';

export function timeline(data) {
  if (!data.timeline) return undefined;
  const { ranks, phases, spans, messages, all_messages, makespan_s, iterations } = data.timeline;
  const from_s = data.timeline.from_s ?? 0;
  const until_s = data.timeline.until_s ?? makespan_s;
  const run = data.runs[data.focus];
  const row_of = new Map(ranks.map((rank, row) => [rank, row]));
  const pieces = (data.critical_path?.pieces ?? []).filter(([, rank]) => row_of.has(rank));
  let drawn_too = 'messages';

  const row_height = (narrow) => (ranks.length > 24 ? (narrow ? 9 : 12) : narrow ? 16 : 20);
  const describe = () =>
    `Timeline of ${format.counted(ranks.length, 'rank')} over ${format.seconds(until_s - from_s)}: ` +
    `${phases.map((phase) => phase.name).join(', ')}` +
    (data.is_program ? '.' : `, ${format.counted(iterations, 'time')}; ${format.counted(messages.length, 'message')} drawn.`);

  const bars = spans.map(([rank, phase, iteration, start, end]) => [start, row_of.get(rank), end, phase, iteration]);
  const message_series = (now) => ({
    name: 'messages',
    type: 'custom',
    clip: true,
    z: 4,
    data: messages.map(([from, to, size, start, end]) => [
      start,
      row_of.get(from),
      end,
      row_of.get(to),
      size,
    ]),
    encode: { x: [0, 2], y: [1, 3] },
    renderItem: (_, api) => {
      const [x1, y1] = api.coord([api.value(0), api.value(1)]);
      const [x2, y2] = api.coord([api.value(2), api.value(3)]);
      const angle = Math.atan2(y2 - y1, x2 - x1);
      const corner = (turn) => [x2 - 6 * Math.cos(angle + turn), y2 - 6 * Math.sin(angle + turn)];
      const style = { stroke: now.text, lineWidth: 0.8, opacity: 0.55 };
      return {
        type: 'group',
        children: [
          { type: 'line', shape: { x1, y1, x2, y2 }, style },
          {
            type: 'polygon',
            shape: { points: [[x2, y2], corner(0.4), corner(-0.4)] },
            style: { fill: now.text, opacity: 0.7 },
          },
        ],
      };
    },
  });
  const path_series = (now) => ({
    name: 'critical path',
    type: 'custom',
    clip: true,
    z: 5,
    data: pieces.map(([kind, rank, peer, phase, , start, end]) => [
      start,
      row_of.get(rank),
      end,
      phase,
      kind,
      peer,
    ]),
    encode: { x: [0, 2], y: 1 },
    renderItem: (_, api) => {
      const [left, middle] = api.coord([api.value(0), api.value(1)]);
      const [right] = api.coord([api.value(2), api.value(1)]);
      return {
        type: 'line',
        shape: { x1: left, y1: middle, x2: Math.max(left + 0.5, right), y2: middle },
        style: { stroke: now.text, lineWidth: 3.5 },
      };
    },
  });
  const said = ({ seriesName, value }) => {
    if (seriesName === 'messages')
      return `rank ${ranks[value[1]]} → rank ${ranks[value[3]]}: ${format.bytes(value[4])}<br>${format.seconds(value[0])} to ${format.seconds(value[2])}`;
    const what =
      seriesName !== 'phases' ? ` (critical path, ${value[4]})` : data.is_program ? '' : ` (iteration ${value[4]})`;
    return `rank ${ranks[value[1]]}, ${format.escaped(phases[value[3]].name)}${what}<br>${format.seconds(value[2] - value[0])}, from ${format.seconds(value[0])}`;
  };

  const drawn = chart(
    'Ranks from top to bottom, simulated time from left to right. The buttons and the slider below the axis choose which part of the time is drawn.',
    (narrow) => 110 + ranks.length * row_height(narrow),
    describe,
    ({ colours: now, narrow }) => ({
      grid: { left: 56, right: 20, top: 8, bottom: 88 },
      tooltip: tooltip(now, said),
      dataZoom: time_zoom(now),
      xAxis: time_axis_of(now, from_s, until_s),
      yAxis: axis(now, {
        type: 'category',
        inverse: true,
        data: ranks.map(String),
        name: 'rank',
        nameGap: 38,
        // A label is higher than a row of many.
        axisLabel: { interval: (row) => row % Math.ceil(16 / row_height(narrow)) === 0 },
      }),
      series: [
        span_series(now, phases, bars),
        ...(drawn_too === 'messages' ? [message_series(now)] : []),
        ...(drawn_too === 'path' ? [path_series(now)] : []),
      ],
    }),
  );
  const some = [];
  if (ranks.length < run.ranks)
    some.push(
      `${format.count(ranks.length)} of ${format.counted(run.ranks, 'rank')} are drawn${data.is_program ? ', at equal distances' : ': those with the most time on the critical path, and others at equal distances'}.`,
    );
  if (messages.length < all_messages)
    some.push(
      `Arrows are drawn for the ${format.count(messages.length)} largest messages between these ranks, of ${format.counted(all_messages, 'message')} in all.`,
    );
  return {
    id: 'timeline',
    heading: 'Timeline',
    shows: data.is_program
      ? `What every rank does at what time${until_s - from_s < makespan_s ? `, from ${format.seconds(from_s)} to ${format.seconds(until_s)} of ${format.seconds(makespan_s)}` : ''}. ${some.join(' ')}`
      : `What every rank does at what time, in ${format.first_iterations(iterations)}. An arrow is a message: it begins when the message is sent, and ends when it is complete. ${some.join(' ')}`,
    source: `Simulated on ${data.platforms[data.focus_platform].name}: ${run.name}, ${format.counted(run.ranks, 'rank')}.`,
    parts: [
      ...(data.is_program && pieces.length === 0
        ? []
        : [
            choice(
              'Draw also',
              data.is_program
                ? { nothing: 'nothing', path: 'the critical path' }
                : { messages: 'messages', path: 'the critical path', nothing: 'nothing' },
              (chosen) => {
                drawn_too = chosen;
                drawn.redraw();
              },
            ),
          ]),
      zoom_buttons(drawn, from_s, until_s),
      legend_of(phases, spans.map(([, phase, , start, end]) => [phase, end - start])),
      drawn,
      details_table(
        `${data.is_program ? 'Functions' : 'Phases'} of the drawn ranks (the first 1,000)`,
        ['rank', ...(data.is_program ? ['function'] : ['iteration', 'phase']), 'from', 'to'],
        () =>
          spans
            .slice(0, 1000)
            .map(([rank, phase, iteration, start, end]) => [
              `${rank}`,
              ...(data.is_program ? [] : [`${iteration}`]),
              phases[phase].name,
              format.seconds(start),
              format.seconds(end),
            ]),
        3,
      ),
    ],
  };
}
