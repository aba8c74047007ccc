list(APPEND spmv_programs
  "two-sided|--transfer two-sided" "two-sided overlapped|--transfer two-sided --completion overlapped"
  "two-sided compact|--transfer two-sided --copy compact"
  "two-sided overlapped compact|--transfer two-sided --completion overlapped --copy compact"
  "condensed put|--transfer put" "condensed put together|--transfer put --completion together"
  "condensed put overlapped|--transfer put --completion overlapped"
  "condensed put compact|--transfer put --copy compact"
  "condensed put together compact|--transfer put --completion together --copy compact"
  "condensed put overlapped compact|--transfer put --completion overlapped --copy compact")
list(APPEND heat_programs
  "two-sided|--update copy" "two-sided overlapped|--completion overlapped"
  "get|--transfer get" "get together|--transfer get --completion together --update copy"
  "get overlapped|--transfer get --completion overlapped")
