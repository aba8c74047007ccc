// Which ranks are on which node.

/** [first rank, how many] of each row of neighbours on one node. @param nodes_of_ranks  shape [ranks] */
export function neighbours_on_a_node(nodes_of_ranks) {
  const pieces = [];
  nodes_of_ranks.forEach((node, rank) => {
    if (rank > 0 && nodes_of_ranks[rank - 1] === node) ++pieces.at(-1)[1];
    else pieces.push([rank, 1]);
  });
  return pieces;
}
