# Draws simulated seconds by the window, as finegrain study export wrote them as CSV: waited for together and overlapped, with
# the closed form, and the policies that have no window as level lines. docs/inspector.md has the commands.
#   gnuplot -e "table='window.csv'; picture='inspector.svg'" docs/inspector.gp
set terminal svg size 760,430 font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set datafile commentschars "#"
set datafile columnheaders
set datafile missing NaN

rows = "grep -v '^#' '".table."'"
column_of(name) = int(system(rows." | tr , '\n' | grep -nxm 1 ".name." | cut -d: -f1"))
policy = column_of("policy"); completion = column_of("completion"); window = column_of("window")
simulated = column_of("simulated_s"); closed = column_of("closed_form_s")
others = system(rows." | tail -n +2 | cut -d, -f".policy." | grep -v inspector | uniq")
seconds_of(name) = real(system(rows." | awk -F, '$".policy." == \"".name."\" { print $".simulated." }'"))

set logscale xy
set logscale x 2
set xlabel "rows of a window"
set ylabel "seconds"
set xtics out nomirror 1, 4, 4096
set ytics out nomirror
set border 3
set yrange [0.1:100]
set format x "%.0f"
set grid x y linecolor rgb "#e4e4e4"
set key outside right center Left reverse samplen 2.5 spacing 1.3
array colour[4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
kinds = "together overlapped"

plot for [i=1:words(kinds)] table \
       using (column(window)):(strcol(completion) eq word(kinds, i) ? column(simulated) : NaN) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb colour[i] title word(kinds, i), \
     table using (column(window)):(strcol(completion) eq "together" ? column(closed) : NaN) \
       with linespoints linewidth 2 dashtype 2 pointtype 6 pointsize 0.7 linecolor rgb "#555555" title "closed form", \
     for [i=1:words(others)] seconds_of(word(others, i)) with lines linewidth 2 linecolor rgb colour[i + 2] \
       title word(others, i) noenhanced
