# The table of predict: awk -F'|' -f table.awk measured.csv predicted.csv
# A line for each way to run a program: what was predicted, the median over the runs of what was measured, the prediction's
# error, and the range of the runs in percent of their median. Then the decisions: which way of a program is fastest on a changed
# testbed, and on which placement a program is fastest. The one named is right if no other was measured to be over 2 % faster.
function sorted_median(text, v, n, i, j, t) {
  n = split(text, v, " ")
  for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  spread = 100 * (v[n] - v[1]) / ((v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2)
  return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
}
function decide(group, way, p, m) {
  if (!(group in named) || p < least[group]) { least[group] = p; named[group] = way; named_ms[group] = m }
  if (!(group in best) || m < best_ms[group]) { best_ms[group] = m; best[group] = way }
  if (++ways[group] == 1) groups[++decided] = group
}
BEGIN { printf "%-17s %-9s %-26s %9s %9s %7s %7s\n", "change", "program", "way", "predicted", "measured", "error %", "range %" }
FNR == 1 { next }
FILENAME ~ /measured.csv$/ { runs[$1 "|" $2 "|" $3] = runs[$1 "|" $2 "|" $3] " " $4; next }
{
  key = $1 "|" $2 "|" $3
  if (!(key in runs)) next
  m = sorted_median(runs[key])
  error = 100 * ($4 / m - 1)
  printf "%-17s %-9s %-26s %9.1f %9.1f %+7.1f %7.1f\n", $1, $2, $3, $4, m, error, spread
  errors = errors " " (error < 0 ? -error : error)
  if ((error < 0 ? -error : error) > worst) worst = error < 0 ? -error : error
  decide($1 "|" $2, $3 == "" ? "-" : $3, $4, m)
  place = $1
  if (sub(/, .*/, "", place)) decide(place " placement|" $2 " " $3, $1, $4, m)
}
END {
  print ""
  for (g = 1; g <= decided; ++g) if (ways[groups[g]] > 1) {
    right = named_ms[groups[g]] <= 1.02 * best_ms[groups[g]]
    ++asked; answered += right
    printf "%-50s named %-28s fastest %-28s %s %+.1f %%\n", groups[g], named[groups[g]], best[groups[g]], right ? "right" : "WRONG", 100 * (named_ms[groups[g]] / best_ms[groups[g]] - 1)
  }
  printf "\nmedian error %.1f %%, worst %.1f %%; %d of %d decisions right\n", sorted_median(errors), worst, answered, asked
}
