# Draws simulated seconds by the bytes of a line, as finegrain study export wrote them as CSV: a colour a number of lines,
# and the programs without lines as level lines. docs/cached.md has the commands.
#   gnuplot -e "table='cached.csv'; picture='cached.svg'" docs/cached.gp
set terminal svg size 760,430 font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set datafile commentschars "#"
set datafile columnheaders
set datafile missing NaN

rows = "grep -v '^#' '".table."'"
column_of(name) = int(system(rows." | tr , '\n' | grep -nxm 1 ".name." | cut -d: -f1"))
policy = column_of("policy"); line = column_of("line"); lines = column_of("lines")
simulated = column_of("simulated_s"); closed = column_of("closed_form_s")
numbers = system(rows." | tail -n +2 | cut -d, -f".lines." | sort -nu | grep .")
others = system(rows." | tail -n +2 | cut -d, -f".policy." | grep -v cached | uniq")
seconds_of(name) = real(system(rows." | awk -F, '$".policy." == \"".name."\" { print $".simulated." }'"))

set logscale xy
set logscale x 2
set xlabel "bytes of a line"
set ylabel "seconds"
set xtics out nomirror 8, 8, 600000
set ytics out nomirror
set border 3
set yrange [5:1000]
set format x "%.0f"
set grid x y linecolor rgb "#e4e4e4"
set key outside right center Left reverse samplen 2.5 spacing 1.3
array colour[6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

plot for [i=1:words(numbers)] table \
       using (column(line)):(column(lines) == real(word(numbers, i)) ? column(simulated) : NaN) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb colour[i] title word(numbers, i)." lines", \
     for [i=1:words(numbers)] table \
       using (column(line)):(column(lines) == real(word(numbers, i)) ? column(closed) : NaN) \
       with linespoints linewidth 2 dashtype 2 pointtype 6 pointsize 0.7 linecolor rgb colour[i] notitle, \
     for [i=1:words(others)] seconds_of(word(others, i)) with lines linewidth 2 linecolor rgb colour[i + words(numbers)] \
       title word(others, i) noenhanced, \
     NaN with lines linewidth 2 dashtype 2 linecolor rgb "#555555" title "closed form"
