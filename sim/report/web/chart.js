// A chart of the page: drawn as SVG, redrawn when its width or the theme changes, with a text for those who do not see it.

import * as echarts from 'echarts/core';
import { BarChart, CustomChart, GraphChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { element } from './dom.js';
import * as format from './format.js';
import { save_buttons } from './save.js';
import { colours, on_theme } from './theme.js';

echarts.use([
  BarChart,
  CustomChart,
  GraphChart,
  LineChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  SVGRenderer,
]);

const narrow_px = 560;
const waiting = [];

/**
 * A figure with one chart.
 * @param caption   what the axes and marks are
 * @param height    pixels, or a function of whether the page is narrow
 * @param describe  the text alternative, as a function
 * @param option    ECharts options, as a function of {colours, narrow}
 * @return the figure, with redraw() and the ECharts instance as `chart`
 */
export function chart(caption, height, describe, option) {
  const box = element('div', { class: 'chart', role: 'img' });
  const figure = element('figure', {}, box, element('figcaption', {}, caption));
  figure.append(save_buttons(figure));
  let drawn_width = 0;
  figure.redraw = () => {
    const narrow = box.clientWidth < narrow_px;
    box.style.height = `${typeof height === 'function' ? height(narrow) : height}px`;
    box.setAttribute('aria-label', describe());
    figure.chart ??= echarts.init(box, null, { renderer: 'svg' });
    figure.chart.resize();
    const now = colours();
    const drawing = option({ colours: now, narrow, width: box.clientWidth });
    figure.chart.setOption({ ...common(now), ...drawing }, { notMerge: true });
    box.dataset.items = items_of(figure.chart.getOption().series);
    drawn_width = box.clientWidth;
  };
  on_theme(() => figure.chart && figure.redraw());
  new ResizeObserver(() => {
    if (figure.chart && box.clientWidth !== drawn_width) figure.redraw();
  }).observe(box);
  waiting.push(figure);
  return figure;
}

/** What the series draw, edges of a graph included. */
const items_of = (series) =>
  series.reduce((sum, { data, links }) => sum + data.length + (links?.length ?? 0), 0);

/** Draws what was made, once it is on the page and has a width. */
export function draw_all() {
  waiting.splice(0).forEach((figure) => figure.redraw());
}

function common(now) {
  return {
    animation: false,
    textStyle: { color: now.text, fontFamily: 'system-ui, sans-serif' },
    backgroundColor: 'transparent',
  };
}

/** Options that most charts share. */
export function axis(now, more) {
  return {
    nameLocation: 'middle',
    nameTextStyle: { color: now.muted },
    axisLine: { show: true, lineStyle: { color: now.line } },
    axisTick: { lineStyle: { color: now.line } },
    axisLabel: { color: now.muted, hideOverlap: true, lineHeight: 14, ...more.axisLabel },
    splitLine: { lineStyle: { color: now.line, opacity: 0.4 } },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'axisLabel')),
  };
}

/** @param gap  pixels from the axis to its name, which clear the labels */
export const time_axis = (now, type, gap, data) =>
  axis(now, {
    type,
    name: `time of ${format.whole(data)}`,
    nameGap: gap,
    axisLabel: { formatter: format.seconds },
  });

const legend_row_px = 22;
const measuring = document.createElement('canvas').getContext('2d');

/** How many rows these names take, each behind its mark. */
function legend_rows(names, width, mark_px) {
  measuring.font = '12px system-ui, sans-serif';
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const wanted = mark_px + 5 + 1.1 * measuring.measureText(name).width + 12;
    if (used > 0 && used + wanted > width) {
      rows += 1;
      used = 0;
    }
    used += wanted;
  }
  return rows;
}

/** A legend above the drawing, in as many rows as it takes, and where the drawing begins below it. */
export function legend_above(now, series, width, itemWidth = 28) {
  const names = series.map(({ name }) => name);
  return {
    legend: {
      type: 'plain',
      // A line without marks has none in the legend either.
      data: series.map(({ name, symbol }) => (symbol === 'none' ? { name, itemStyle: { opacity: 0 } } : name)),
      top: 0,
      left: 0,
      right: 0,
      padding: [2, 0],
      itemGap: 12,
      itemHeight: 12,
      textStyle: { color: now.text, lineHeight: legend_row_px - 12 },
      inactiveColor: now.line,
      itemWidth,
    },
    top: 14 + (legend_row_px + 4) * legend_rows(names, width, itemWidth),
  };
}

export const tooltip = (now, formatter, more = {}) => ({
  confine: true,
  backgroundColor: now.panel,
  borderColor: now.line,
  textStyle: { color: now.text, fontSize: 13 },
  formatter,
  ...more,
});
