// Charts as files: a picture, or the numbers in it.

import { details, element } from './dom.js';

const columns_of = ({ xAxis, yAxis }) => {
  const axes = [xAxis?.[0], yAxis?.[0]];
  return {
    category: axes.find((axis) => axis?.type === 'category'),
    value_names: axes.filter((axis) => axis && axis.type !== 'category').map((axis) => axis.name ?? 'value'),
  };
};

/** With a ' before a text that a spreadsheet would take for a formula, as the command's own CSV has it. */
const without_formula = (value) =>
  typeof value === 'string' && /^[=+\-@]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : `${value}`;

const quoted = (value) => {
  const text = without_formula(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** What is drawn, a line for each mark. Times are in seconds, sizes in bytes. */
export function csv_of(option) {
  const { category, value_names } = columns_of(option);
  const lines = option.series.flatMap(({ name, data }) =>
    data.map((item, index) => {
      const values = [item?.value ?? item].flat();
      const place = item?.name ?? category?.data[index];
      return [name ?? '', ...(category ? [place ?? ''] : []), ...values];
    }),
  );
  const most = Math.max(...lines.map((line) => line.length));
  const head = ['series', ...(category ? [category.name ?? 'row'] : []), ...value_names];
  while (head.length < most) head.push(`value ${head.length}`);
  return ['# times in seconds, sizes in bytes', ...[head, ...lines].map((line) => line.map(quoted).join(','))].join('\n') + '\n';
}

function download(name, url) {
  const link = element('a', { href: url, download: name });
  link.click();
}

const of_text = (text, type) => `data:${type};charset=utf-8,${encodeURIComponent(text)}`;

/** The SVG, with the page's background, which a dark theme's text needs. */
function svg_of(figure) {
  const colour = getComputedStyle(document.body).backgroundColor;
  return figure.chart.renderToSVGString().replace(/(<svg[^>]*>)/, `$1<rect width="100%" height="100%" fill="${colour}"/>`);
}

function save_png(figure, name) {
  const picture = new Image();
  picture.onload = () => {
    const scale = 2;
    const canvas = element('canvas', { width: scale * figure.chart.getWidth(), height: scale * figure.chart.getHeight() });
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    download(name, canvas.toDataURL('image/png'));
  };
  picture.src = of_text(svg_of(figure), 'image/svg+xml');
}

/** Buttons that save a figure's chart. */
export function save_buttons(figure) {
  const name = (kind) => `${figure.closest('section')?.id ?? 'chart'}.${kind}`;
  const kinds = {
    SVG: () => download(name('svg'), of_text(svg_of(figure), 'image/svg+xml')),
    PNG: () => save_png(figure, name('png')),
    CSV: () => download(name('csv'), of_text(csv_of(figure.chart.getOption()), 'text/csv')),
  };
  const buttons = Object.entries(kinds).map(([kind, save]) => {
    const button = element('button', { type: 'button', 'data-save': kind }, kind);
    button.addEventListener('click', () => {
      if (!figure.chart) figure.redraw(); // it was not seen yet
      save();
    });
    return button;
  });
  const made = details('Save this chart', element('span', { class: 'controls' }, ...buttons));
  made.classList.add('save');
  return made;
}
