// The closed form, evaluated for a machine that the reader chooses. sim/model/formula.hpp says what the terms are.

/** Bandwidth of one rank: its cores', or its part of them where ranks share one; or its share of the node's. */
export function private_bandwidth(formula, machine) {
  return Math.min(
    formula.thread_rate * formula.threads_per_rank * machine.memory_bandwidth_per_core_bytes_per_s,
    machine.memory_bandwidth_bytes_per_s / formula.most_ranks_on_a_node,
  );
}

/** Seconds of one of what the term counts; undefined where its bytes over a bandwidth say so. */
export function seconds_apiece(term, machine) {
  return {
    tau: machine.tau_s,
    call: machine.call_s,
    search_step: machine.search_step_s,
    shared_pointer_access: machine.shared_pointer_access_s,
    affinity_test: machine.affinity_test_s,
  }[term.cost];
}

/** Seconds of so many of what the term counts. */
export function term_seconds(formula, term, count, machine) {
  if (count === 0) return 0;
  const apiece_s = seconds_apiece(term, machine);
  if (apiece_s !== undefined) return count * apiece_s;
  const bytes = count * (term.bytes_each + term.cache_lines_each * machine.cache_line_bytes);
  return (
    bytes /
    (term.cost === 'remote_bytes'
      ? machine.remote_bandwidth_bytes_per_s
      : private_bandwidth(formula, machine))
  );
}

/** What a term counts of each node. @param nodes_of_ranks  shape [ranks] */
function gathered_counts(term, counts, nodes_of_ranks) {
  const nodes = [];
  nodes_of_ranks.forEach((node, rank) => {
    const { most, sum, ranks } = nodes[node] ?? { most: 0, sum: 0, ranks: 0 };
    nodes[node] = { most: Math.max(most, counts[rank]), sum: sum + counts[rank], ranks: ranks + 1 };
  });
  return nodes.map(({ most, sum, ranks }) => {
    if (term.gathering === 'sum_of_node') return sum;
    return term.gathering === 'most_of_node' ? most : ranks * most;
  });
}

function first_of_largest(seconds) {
  let largest = 0;
  seconds.forEach((value, number) => {
    if (value > seconds[largest]) largest = number;
  });
  return largest;
}

/**
 * max over nodes (terms gathered of the node) + max over ranks (terms of the rank).
 * @return {total_s, node, rank, terms: [{count, seconds}]}, the terms of the node and the rank that decide
 */
export function evaluate(formula, choice, machine) {
  const { terms, nodes_of_ranks } = formula;
  const sums = { nodes: [], ranks: [] };
  const of_terms = terms.map((term, index) => {
    const over = term.gathering === 'of_rank' ? 'ranks' : 'nodes';
    const counts = choice.counts[index];
    const gathered = over === 'ranks' ? counts : gathered_counts(term, counts, nodes_of_ranks);
    const seconds = gathered.map((count) => term_seconds(formula, term, count, machine));
    seconds.forEach((value, number) => {
      sums[over][number] = (sums[over][number] ?? 0) + value;
    });
    return { over, counts: gathered, seconds };
  });
  const deciding = { nodes: first_of_largest(sums.nodes), ranks: first_of_largest(sums.ranks) };
  return {
    total_s: (sums.nodes[deciding.nodes] ?? 0) + (sums.ranks[deciding.ranks] ?? 0),
    node: deciding.nodes,
    rank: deciding.ranks,
    terms: of_terms.map(({ over, counts, seconds }) => ({
      count: counts[deciding[over]],
      seconds: seconds[deciding[over]],
    })),
  };
}
