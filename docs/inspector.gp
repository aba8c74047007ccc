# Draws what finegrain study export wrote of a study over the window of policy inspector: seconds of an iteration,
# simulated and closed form, between those of individual and condensed.
#   gnuplot -e "table='window.csv'; picture='docs/inspector.svg'" docs/inspector.gp
set terminal svg size 760,430 font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set datafile commentschars "#"
set datafile missing ""

set logscale xy 10
set xlabel "window, rows"
set ylabel "seconds of an iteration"
set xtics out nomirror
set ytics out nomirror
set border 3
set grid x y linecolor rgb "#e4e4e4"
set key outside right center Left reverse samplen 2.5 spacing 1.3

of(policy, completion) = strcol("policy") eq policy && strcol("completion") eq completion
stats table using (strcol("policy") eq "individual" ? column("simulated_s") / column("iterations") : NaN) nooutput name "I"
stats table using (strcol("policy") eq "condensed" ? column("simulated_s") / column("iterations") : NaN) nooutput name "C"
plot I_mean with lines dashtype 2 linecolor rgb "#666666" title "individual, simulated", \
     C_mean with lines dashtype 3 linecolor rgb "#666666" title "condensed, simulated", \
     table using "window":(of("inspector", "together") ? column("simulated_s") / column("iterations") : NaN) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb "#0072b2" title "together, simulated", \
     table using "window":(of("inspector", "overlapped") ? column("simulated_s") / column("iterations") : NaN) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb "#d55e00" title "overlapped, simulated", \
     table using "window":(of("inspector", "together") ? column("closed_form_s") / column("iterations") : NaN) \
       with linespoints linewidth 1 dashtype 2 pointtype 6 pointsize 0.7 linecolor rgb "#009e73" title "closed form (I1)"
