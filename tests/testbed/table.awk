# The tables of predict: awk -F'|' -f table.awk measured.csv tuned.csv predicted.csv
# A line for each way to run a program: what was predicted, from the first to the last decile of replays with noise, the median
# over the runs of what was measured, the prediction's error, how far the measured one is outside of the predicted range, and the
# range of the runs in percent of their median. Then the decisions: which way of a program is fastest on a changed testbed, and on
# which placement a program is fastest. The one named is right if no other was measured to be over 2 % faster. Last, errors by
# kind of change.
function median(text, v, n, i, j, t) {
  n = split(text, v, " ")
  for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  worst = v[n]
  least = v[1]
  ninth_of_ten = v[int(0.9 * (n - 1) + 1.5)]
  return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
}
function positive(x) { return x < 0 ? -x : x }
function count_below(text, limit, v, n, i, count) {
  n = split(text, v, " ")
  for (i = 1; i <= n; ++i) count += v[i] <= limit
  return count + 0
}
function decide(group, way, p, m) {
  if (!(group in named) || p < least_ms[group]) { least_ms[group] = p; named[group] = way }
  if (!(group in best) || m < best_ms[group]) { best_ms[group] = m; best[group] = way }
  measured_ms[group "|" way] = m
  if (++ways[group] == 1) groups[++decided] = group
}
function is_right(group, way) { return measured_ms[group "|" way] > 0 && measured_ms[group "|" way] <= 1.02 * best_ms[group] }
# If a rank gets or puts less than 64 bytes, an iteration takes a millisecond, and links are not the limit.
function kind_of(change, question, m) {
  if (question == "master") return "master and workers"
  if (m < 5) return "links not the limit"
  if (change ~ /^[0-9]+ Mbit/) return "another rate"
  if (change ~ /^unequal/) return "unequal links"
  return change ~ /,/ ? "another placement" : "fewer nodes"
}
function line(kind, errors, outside, n) {
  n = split(errors, ignored, " ")
  printf "%-22s %5d %9.1f", kind, n, median(errors)
  printf " %9.1f %9.1f %8d %8d", ninth_of_ten, worst, count_below(errors, 15), count_below(outside, 15)
  if (kind in asked_of) printf " %5d of %d", right_of[kind], asked_of[kind]
  print ""
}
BEGIN { printf "%-17s %-9s %-26s %9s %21s %9s %7s %7s %7s\n", "change", "program", "way", "predicted", "10 to 90 %", "measured", "error %", "out %", "range %" }
FNR == 1 && FILENAME !~ /tuned.csv$/ { next }
FILENAME ~ /measured.csv$/ { runs[$1 "|" $2 "|" $3] = runs[$1 "|" $2 "|" $3] " " $4; next }
FILENAME ~ /tuned.csv$/ { if (NF == 4) tuned[$1 "|" $2 " " $3] = $4; else tuned[$1 "|" $2] = $3; next }
{
  key = $1 "|" $2 "|" $3
  if (!(key in runs)) next
  m = median(runs[key])
  spread = 100 * (worst - least) / m
  error = 100 * ($4 / m - 1)
  outside = m < $5 ? 100 * ($5 / m - 1) : m > $6 ? 100 * (1 - $6 / m) : 0
  printf "%-17s %-9s %-26s %9.1f %9.1f to %8.1f %9.1f %+7.1f %7.1f %7.1f\n", $1, $2, $3, $4, $5, $6, m, error, outside, spread
  kind = kind_of($1, $2, m)
  ++with_interval
  in_interval += $8 <= m && m <= $9
  widths = widths " " 50 * ($9 - $8) / $7
  errors[kind] = errors[kind] " " positive(error)
  outsides[kind] = outsides[kind] " " outside
  decide($1 "|" $2, $3 == "" ? "-" : $3, $4, m)
  place = $1
  if (sub(/, .*/, "", place)) decide(place " placement|" $2 " " $3, $1, $4, m)
}
END {
  print ""
  for (g = 1; g <= decided; ++g) if (ways[groups[g]] > 1) {
    group = groups[g]
    right = is_right(group, named[group])
    ++asked; answered += right
    change = group
    sub(/\|.*/, "", change)
    kind = kind_of(change ~ /placement/ ? change ", " : change, "", 5)
    ++asked_of[kind]; right_of[kind] += right
    if (group in tuned) { ++asked_of_tune; answered_by_tune += is_right(group, tuned[group]) }
    printf "%-50s named %-28s fastest %-28s %s %+.1f %%%s\n", group, named[group], best[group], right ? "right" : "WRONG", 100 * (measured_ms[group "|" named[group]] / best_ms[group] - 1), \
      !(group in tuned) ? "" : "; tune: " tuned[group] (is_right(group, tuned[group]) ? " right" : " WRONG")
  }
  printf "\n%-22s %5s %9s %9s %9s %8s %8s %10s\n", "errors, %", "", "median", "9 of 10", "worst", "<= 15 %", "in range", "decisions"
  split("another rate|unequal links|another placement|fewer nodes|master and workers|links not the limit", kinds, "|")
  for (k = 1; k <= 6; ++k) {
    if (!(kinds[k] in errors)) continue
    line(kinds[k], errors[kinds[k]], outsides[kinds[k]])
    if (k <= 4) { bound = bound errors[kinds[k]]; bound_outside = bound_outside outsides[kinds[k]] }
    all = all errors[kinds[k]]; all_outside = all_outside outsides[kinds[k]]
  }
  line("links are the limit", bound, bound_outside)
  line("all", all, all_outside)
  printf "in range: measured within 15 %% of the range from the first to the last decile\n"
  printf "measured within the interval: %d of %d; half of its width, median: %.1f %%\n", in_interval, with_interval, median(widths)
  printf "decisions right: %d of %d by replay; %d of %d by tune\n", answered, asked, answered_by_tune, asked_of_tune
}
