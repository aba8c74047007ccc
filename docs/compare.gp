# Draws what finegrain compare wrote as CSV: seconds by ranks, simulated beside closed form, a colour a platform.
#   gnuplot -e "table='other-machines.csv'; picture='other-machines.svg'" docs/compare.gp
set terminal svg size 760,430 font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set datafile commentschars "#"

title = system("sed -n '1s/^# //p' '".table."'")
workload = system("sed -n '2s/^# //p' '".table."'")
platforms = system("grep -v '^#' '".table."' | tail -n +2 | cut -d, -f1 | uniq")
set label 1 title at screen 0.02, 0.95 noenhanced
set label 2 workload at screen 0.02, 0.89 noenhanced font ",11"
set tmargin at screen 0.83

set logscale xy 2
set logscale y 10
set xlabel "ranks"
set ylabel "seconds"
set xtics out nomirror
set ytics out nomirror
set mytics 10
set border 3
set grid x y linecolor rgb "#e4e4e4"
set autoscale noextend
set key outside right center Left reverse samplen 2.5 spacing 1.3
array colour[6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

# The columns of the CSV: platform, nodes, ranks, measured, simulated, closed form, ratio.
plot for [i=1:words(platforms)] table using (column(3)):(strcol(1) eq word(platforms, i) ? column(5) : NaN) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb colour[i] \
       title word(platforms, i) noenhanced, \
     for [i=1:words(platforms)] table using (column(3)):(strcol(1) eq word(platforms, i) ? column(6) : NaN) \
       with linespoints linewidth 2 dashtype 2 pointtype 6 pointsize 0.7 linecolor rgb colour[i] \
       notitle, \
     NaN with lines linewidth 2 linecolor rgb "#555555" title "simulated", \
     NaN with lines linewidth 2 dashtype 2 linecolor rgb "#555555" title "closed form"
