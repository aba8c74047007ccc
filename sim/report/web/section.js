// A section of a page: what it shows, its charts and tables, and where the numbers come from.

import { element } from './dom.js';

export function section_element({ id, heading, shows, source, parts }) {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-heading` },
    element('h2', { id: `${id}-heading` }, heading),
    element('p', {}, shows),
    ...parts,
    element('p', { class: 'source' }, source),
  );
}
