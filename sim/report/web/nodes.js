// Which ranks are on which node.

/**
 * Rectangles [first rank, how many, first other rank, how many] that hold all pairs of ranks on one node; none where
 * they are more than can be drawn.
 */
export function pairs_on_a_node(nodes_of_ranks) {
  const most_rectangles = 2000;
  const of_nodes = [];
  for (const piece of neighbours_on_a_node(nodes_of_ranks))
    (of_nodes[nodes_of_ranks[piece[0]]] ??= []).push(piece);
  const rectangles = of_nodes.reduce((sum, pieces) => sum + pieces.length ** 2, 0);
  if (rectangles > most_rectangles) return [];
  return of_nodes.flatMap((pieces) => pieces.flatMap((one) => pieces.map((other) => [...one, ...other])));
}

/** [first rank, how many] of each row of neighbours on one node. @param nodes_of_ranks  shape [ranks] */
export function neighbours_on_a_node(nodes_of_ranks) {
  const pieces = [];
  nodes_of_ranks.forEach((node, rank) => {
    if (rank > 0 && nodes_of_ranks[rank - 1] === node) ++pieces.at(-1)[1];
    else pieces.push([rank, 1]);
  });
  return pieces;
}
