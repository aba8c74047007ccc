# Draws how much longer a run takes with noise, by its number of ranks: a line a program and noise. docs/noise.md has the commands.
#   gnuplot -e "table='noise.csv'; picture='noise.svg'" docs/noise.gp
set terminal svg size 760,430 font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set logscale x 2
set xlabel "ranks"
set ylabel "time, in times of that without noise"
set xtics out nomirror (16, 64, 256, 512)
set ytics out nomirror (1, 1.5, 2, 3, 5, 10)
set logscale y
set yrange [1:10]
set border 3
set grid x y linecolor rgb "#e4e4e4"
set key outside right center Left reverse samplen 2.5 spacing 1.3
noises = "25us/1ms 250us/10ms 2500us/100ms"
array colour[3] = ["#0072b2", "#e69f00", "#d55e00"]
plot for [i=1:3] table using (strcol(1) eq "barriers" && strcol(2) eq word(noises, i) ? column(3) : NaN):4 \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb colour[i] title word(noises, i)." barriers", \
     for [i=1:3] table using (strcol(1) eq "overlapped" && strcol(2) eq word(noises, i) ? column(3) : NaN):4 \
       with linespoints linewidth 2 dashtype 2 pointtype 6 pointsize 0.7 linecolor rgb colour[i] title word(noises, i)." overlapped"
