// Reads the report's data from the page, and draws its sections.

import { draw_all } from './chart.js';
import { element } from './dom.js';
import { jobs_page } from './jobs/page.js';
import { run_page } from './run_page.js';
import { study_page } from './study/page.js';
import { start_theme } from './theme.js';

const line = (text) => element('p', { class: 'source' }, text);

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  start_theme();
  const page = data.study ? study_page : data.jobs ? jobs_page : run_page;
  document.title = page.title(data);
  document.getElementById('title').textContent = page.heading(data);
  document.getElementById('summary').textContent = page.summary(data);
  document.getElementById('notes').append(...page.notes(data).map((note) => element('li', {}, note)));
  document.getElementById('footer').append(...[...page.footer(data), `Written by ${data.version}.`].map(line));
  for (const section of page.sections) {
    const made = section(data);
    if (!made) continue;
    const { id, heading, shows, source, parts } = made;
    document.getElementById('contents').append(element('li', {}, element('a', { href: `#${id}` }, heading)));
    document
      .getElementById('content')
      .append(
        element(
          'section',
          { id, 'aria-labelledby': `${id}-heading` },
          element('h2', { id: `${id}-heading` }, heading),
          element('p', {}, shows),
          ...parts,
          element('p', { class: 'source' }, source),
        ),
      );
  }
  draw_all();
  // An address with sliders in it names a section before them.
  const [section, ...sliders] = location.hash.slice(1).split('&');
  if (sliders.length > 0) document.getElementById(section)?.scrollIntoView();
  performance.mark('drawn');
}

start();
