// Who sends to whom.

import { axis, chart, tooltip } from '../chart.js';
import { choice, details_table, element } from '../dom.js';
import * as format from '../format.js';
import { pairs_on_a_node } from '../nodes.js';
import { heat, on_theme } from '../theme.js';

export function communication(data) {
  if (!data.communication) return undefined;
  const { ranks_per_cell: width, cells } = data.communication;
  const run = data.runs[data.focus];
  if (cells.length === 0) return undefined;
  const outlined = pairs_on_a_node(run.nodes_of_ranks);
  let quantity = 'bytes';
  const value = (cell) => (quantity === 'bytes' ? cell[2] : cell[3]);
  const shown = (number) =>
    quantity === 'bytes' ? format.bytes(number) : format.counted(number, 'message');
  const extremes = () => [Math.min(...cells.map(value)), Math.max(...cells.map(value))];
  const share = (number) => {
    const [least, most] = extremes_now;
    return most > least
      ? 0.1 +
          0.9 *
            (Math.log(Math.max(1, number) / Math.max(1, least)) /
              Math.log(Math.max(2, most) / Math.max(1, least)))
      : 1;
  };
  const group = (number) =>
    width === 1
      ? `rank ${number}`
      : `ranks ${number * width}–${Math.min(run.ranks, (number + 1) * width) - 1}`;
  let extremes_now = extremes();

  const rectangle = (api, x, y, size_x, size_y) => {
    const [left, top] = api.coord([x, y]);
    const [right, bottom] = api.coord([x + size_x, y + size_y]);
    return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
  };
  const describe = () => {
    const most = cells.reduce((a, b) => (value(b) > value(a) ? b : a));
    return (
      `Matrix of ${quantity} from each rank (down) to each rank (across): ${format.count(cells.length)} cells are not empty. ` +
      `Most: ${shown(value(most))} from ${group(most[0])} to ${group(most[1])}.`
    );
  };

  const drawn = chart(
    `A cell is what the rank at the side sends to the rank at the top.${outlined.length > 0 ? ' Outlines surround pairs of ranks on one node.' : ''}`,
    (narrow) => (narrow ? 360 : 620),
    describe,
    ({ colours: now, narrow }) => {
      const square = narrow ? 290 : 540;
      const side = axis(now, {
        type: 'value',
        min: 0,
        max: run.ranks,
        splitLine: { show: false },
        minInterval: 1,
        axisLabel: { formatter: format.count, showMaxLabel: true },
      });
      return {
        grid: { left: 56, width: square, top: 34, height: square },
        tooltip: tooltip(now, (point) =>
          point.seriesName === 'messages'
            ? `${group(point.value[0])} → ${group(point.value[1])}<br>${format.bytes(point.value[2])} in ${format.counted(point.value[3], 'message')}`
            : '',
        ),
        xAxis: { ...side, position: 'top', name: 'to rank', nameGap: 18 },
        yAxis: { ...side, inverse: true, name: 'from rank', nameGap: 40 },
        series: [
          {
            name: 'messages',
            type: 'custom',
            data: cells,
            encode: { x: 1, y: 0 },
            renderItem: (_, api) => {
              const at = rectangle(api, api.value(1) * width, api.value(0) * width, width, width);
              return {
                type: 'rect',
                shape: at,
                style: { fill: heat(share(quantity === 'bytes' ? api.value(2) : api.value(3))) },
              };
            },
          },
          {
            name: 'nodes',
            type: 'custom',
            silent: true,
            z: 3,
            data: outlined,
            renderItem: (_, api) => {
              return {
                type: 'rect',
                shape: rectangle(api, api.value(2), api.value(0), api.value(3), api.value(1)),
                style: { fill: 'none', stroke: now.text, lineWidth: run.nodes > 64 ? 0.6 : 1.2 },
              };
            },
          },
        ],
      };
    },
  );

  const scale = element('p', { class: 'scale' });
  const show_scale = () => {
    const steps = Array.from({ length: 6 }, (_, step) => heat(0.1 + 0.18 * step)).join(',');
    const bar = element('i', { 'aria-hidden': 'true' });
    bar.style.background = `linear-gradient(to right, ${steps})`;
    const end = (text) => element('span', {}, text);
    scale.replaceChildren(end(shown(extremes_now[0])), bar, end(shown(extremes_now[1])));
  };
  show_scale();
  on_theme(show_scale);
  const show = (chosen) => {
    quantity = chosen;
    extremes_now = extremes();
    drawn.redraw();
    show_scale();
  };

  const summed =
    width === 1
      ? ''
      : ` ${format.count(run.ranks)} ranks are more than can be drawn one by one, so each cell is the sum of ${width} × ${width} ranks.`;
  return {
    id: 'communication',
    heading: 'Who sends to whom',
    shows: `What every rank sends to every other rank in ${format.whole(data)}. The colours are on a logarithmic scale.${summed}`,
    source: `${format.counted_in(data)}.${data.is_program ? '' : ' It is the same on every platform.'}`,
    parts: [
      choice('Show', { bytes: 'bytes', messages: 'messages' }, show),
      drawn,
      scale,
      details_table(
        'Bytes and messages between ranks, most bytes first (the first 500)',
        ['from', 'to', 'bytes', 'messages'],
        () =>
          [...cells]
            .sort((a, b) => b[2] - a[2])
            .slice(0, 500)
            .map((cell) => [group(cell[0]), group(cell[1]), format.count(cell[2]), format.count(cell[3])]),
        2,
      ),
    ],
  };
}
