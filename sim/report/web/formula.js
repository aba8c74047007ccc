// The closed form, evaluated for a machine that the reader chooses. sim/model/formula.hpp says what the terms are.

/** Bandwidth of one rank: its cores', or its share of the node's. */
export function private_bandwidth(formula, machine) {
  const busy_ranks = Math.min(formula.ranks, formula.ranks_per_node);
  return Math.min(
    formula.threads_per_rank * machine.memory_bandwidth_per_core_bytes_per_s,
    machine.memory_bandwidth_bytes_per_s / busy_ranks,
  );
}

/** Seconds of so many of what the term counts. */
export function term_seconds(formula, term, count, machine) {
  if (count === 0) return 0;
  if (term.cost === 'tau') return count * machine.tau_s;
  const bytes = count * (term.bytes_each + term.cache_lines_each * machine.cache_line_bytes);
  return (
    bytes /
    (term.cost === 'remote_bytes'
      ? machine.remote_bandwidth_bytes_per_s
      : private_bandwidth(formula, machine))
  );
}

function gathered_count(term, counts, first, end) {
  let most = 0;
  let sum = 0;
  for (let rank = first; rank < end; ++rank) {
    most = Math.max(most, counts[rank]);
    sum += counts[rank];
  }
  if (term.gathering === 'sum_of_node') return sum;
  return term.gathering === 'most_of_node' ? most : (end - first) * most;
}

/**
 * max over nodes (terms gathered of the node) + max over ranks (terms of the rank).
 * @return {total_s, node, rank, terms: [{count, seconds}]}, the terms of the node and the rank that decide
 */
export function evaluate(formula, choice, machine) {
  const { terms, ranks, ranks_per_node } = formula;
  const of_node = terms.map((term) => term.gathering !== 'of_rank');
  let node = { number: 0, seconds: 0, terms: [] };
  for (let number = 0; number * ranks_per_node < ranks; ++number) {
    const first = number * ranks_per_node;
    const end = Math.min(ranks, first + ranks_per_node);
    const found = terms.map((term, index) => {
      const count = of_node[index] ? gathered_count(term, choice.counts[index], first, end) : 0;
      return { count, seconds: term_seconds(formula, term, count, machine) };
    });
    const seconds = found.reduce((sum, term) => sum + term.seconds, 0);
    if (seconds > node.seconds || number === 0) node = { number, seconds, terms: found };
  }
  let slowest = { number: 0, seconds: -1 };
  for (let number = 0; number < ranks; ++number) {
    let seconds = 0;
    terms.forEach((term, index) => {
      if (!of_node[index]) seconds += term_seconds(formula, term, choice.counts[index][number], machine);
    });
    if (seconds > slowest.seconds) slowest = { number, seconds };
  }
  return {
    total_s: node.seconds + slowest.seconds,
    node: node.number,
    rank: slowest.number,
    terms: terms.map((term, index) => {
      if (of_node[index]) return node.terms[index];
      const count = choice.counts[index][slowest.number];
      return { count, seconds: term_seconds(formula, term, count, machine) };
    }),
  };
}
