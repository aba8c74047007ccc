// Reads the report's data from the page, and draws its sections.

import { draw_all } from './chart.js';
import { diff_page } from './diff/page.js';
import { element } from './dom.js';
import { start_exploring } from './explore/page.js';
import { jobs_page } from './jobs/page.js';
import { run_page } from './run_page.js';
import { section_element } from './section.js';
import { study_page } from './study/page.js';
import { start_theme } from './theme.js';

const line = (text) => element('p', { class: 'source' }, text);

function draw(data) {
  const page = data.study ? study_page : data.jobs ? jobs_page : data.diff ? diff_page : run_page;
  document.title = page.title(data);
  document.getElementById('title').textContent = page.heading(data);
  document.getElementById('summary').textContent = page.summary(data);
  document.getElementById('notes').append(...page.notes(data).map((note) => element('li', {}, note)));
  document.getElementById('footer').append(...[...page.footer(data), `Written by ${data.version}.`].map(line));
  for (const section of page.sections) {
    const made = section(data);
    if (!made) continue;
    document
      .getElementById('contents')
      .append(element('li', {}, element('a', { href: `#${made.id}` }, made.heading)));
    document.getElementById('content').append(section_element(made));
  }
  draw_all();
  // An address with sliders in it names a section before them.
  const [section, ...sliders] = location.hash.slice(1).split('&');
  if (sliders.length > 0) document.getElementById(section)?.scrollIntoView();
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  start_theme();
  if (data.explore) start_exploring(data);
  else draw(data);
  performance.mark('drawn');
}

start();
