# SPDX-License-Identifier: Apache-2.0
# R's reference figures for tests/stats_ranks_test.cpp, from the samples of make_ranks.py:
#   python3 make_ranks.py > ranks.csv && Rscript make_ranks.R ranks.csv >> ranks.csv
# R 4.2, base packages only.

lines <- readLines(commandArgs(trailingOnly = TRUE)[1])
samples <- list()
for (line in lines[startsWith(lines, "sample,")]) {
  cells <- strsplit(line, ",")[[1]]
  samples[[cells[2]]] <- as.numeric(strsplit(cells[3], " ")[[1]])
}
source_name <- paste("R", getRversion())
cat("# and make_ranks.R with", source_name, "\n")

expect <- function(func, names, argument, figures) {
  for (figure in names(figures))
    cat(sprintf("expect,%s,%s,%s,%s,%.17g,%s\n", func, paste(names, collapse = " "), argument, figure,
                as.numeric(figures[[figure]]), source_name))
}

alternatives <- c(two_sided = "two.sided", less = "less", greater = "greater")
p_values <- function(test) lapply(alternatives, function(one) suppressWarnings(test(one))$p.value)

# Wilcoxon's tests: exact where R is, else with its corrections for ties and continuity.
rank_sum <- function(a, b, exact) {
  x <- samples[[a]]
  y <- samples[[b]]
  test <- function(one) wilcox.test(x, y, alternative = one, exact = exact, correct = TRUE)
  statistic <- suppressWarnings(test("two.sided"))$statistic
  expect("rank_sum", c(a, b), "", c(p_values(test), is_exact = exact, statistic = unname(statistic)))
}
for (pair in list(c("x1", "y1"), c("x1", "y2"), c("x3", "y3"), c("x6", "y10"), c("x10", "y10"), c("x50", "y50"),
                  c("low50", "high50"), c("x3", "y200")))
  rank_sum(pair[1], pair[2], TRUE)
for (pair in list(c("x250", "y250"), c("v250", "w250"), c("v100", "v250"), c("x3", "y250"), c("low200", "w250")))
  rank_sum(pair[1], pair[2], FALSE)

signed_rank <- function(a, b, exact) {
  x <- samples[[a]]
  y <- samples[[b]]
  test <- function(one) wilcox.test(x, y, paired = TRUE, alternative = one, exact = exact, correct = TRUE)
  statistic <- suppressWarnings(test("two.sided"))$statistic
  expect("signed_rank", c(a, b), "", c(p_values(test), is_exact = exact, statistic = unname(statistic)))
}
for (n in c(1, 2, 3, 10, 50, 200)) signed_rank(paste0("x", n), paste0("y", n), TRUE)
signed_rank("x250", "y250", FALSE)
signed_rank("v250", "w250", FALSE)

shift <- function(a, b, paired, confidence) {
  test <- wilcox.test(samples[[a]], samples[[b]], paired = paired, exact = TRUE, conf.int = TRUE,
                      conf.level = confidence)
  expect(if (paired) "paired_shift" else "unpaired_shift", c(a, b), confidence,
         list(estimate = unname(test$estimate), low = test$conf.int[1], high = test$conf.int[2], is_exact = 1))
}
for (n in c(6, 10, 50, 200)) shift(paste0("x", n), paste0("y", n), TRUE, 0.95)
for (n in c(6, 10, 50)) shift(paste0("x", n), paste0("y", n), FALSE, 0.95)
shift("x10", "y10", TRUE, 0.9)
shift("x10", "y10", FALSE, 0.99)

# Correlations. R is exact up to 9 pairs for Spearman, and where asked for Kendall.
spearman <- function(a, b, method, exact = TRUE) {
  x <- samples[[a]]
  y <- samples[[b]]
  test <- function(one) cor.test(x, y, method = "spearman", alternative = one, exact = exact)
  estimate <- suppressWarnings(test("two.sided"))$estimate
  expect("spearman", c(a, b), method, c(p_values(test), estimate = unname(estimate)))
}
for (n in c(2, 3, 6, 9)) spearman(paste0("x", n), paste0("y", n), "exact")
for (n in c(13, 40, 200)) spearman(paste0("x", n), paste0("y", n), "Edgeworth")
for (n in c(13, 50, 250)) spearman(paste0("v", n), paste0("w", n), "t")
# With the correction for continuity R takes the corrected score for both sides, so that its tails add up to 1;
# here both tails contain the score, as of every other test. So R is asked only for the side of the score.
score_sides <- function(p) p[c("two_sided", if (p$less < p$greater) "less" else "greater")]
kendall <- function(a, b, method) {
  x <- samples[[a]]
  y <- samples[[b]]
  test <- function(one)
    cor.test(x, y, method = "kendall", alternative = one, exact = method == "exact", continuity = TRUE)
  p <- p_values(test)
  if (method == "normal") p <- score_sides(p)
  expect("kendall", c(a, b), method, c(p, estimate = unname(suppressWarnings(test("two.sided"))$estimate)))
}
for (n in c(2, 3, 6, 9, 40, 50, 100)) kendall(paste0("x", n), paste0("y", n), "exact")
for (n in c(200, 250)) kendall(paste0("x", n), paste0("y", n), "normal")
for (n in c(6, 12, 50, 250)) kendall(paste0("v", n), paste0("w", n), "normal")
kendall("x250", "w250", "normal")

# Corrections.
for (p in list(0.04, c(0.01, 0.02, 0.03, 0.04, 0.05), c(0.3, 0.0001, 0.04, 0.04, 0.9, 0.012), c(0.9, 0.8, 1, 0))) {
  name <- paste0("p", length(p))
  cat("sample,", name, ",", paste(format(p, digits = 17, trim = TRUE), collapse = " "), "\n", sep = "")
  for (method in c("holm", "BH")) {
    figures <- as.list(p.adjust(p, method))
    names(figures) <- seq_along(p) - 1
    expect("correction", name, method, figures)
  }
}

# Yuen's test as Wilcox (2012) gives it: there is none in base R.
winsorised <- function(x, trim) {
  cut <- floor(trim * length(x) + 1e-9)
  sorted <- sort(x)
  pmin(pmax(x, sorted[cut + 1]), sorted[length(x) - cut])
}
yuen <- function(a, b, trim, paired) {
  x <- samples[[a]]
  y <- samples[[b]]
  hx <- length(x) - 2 * floor(trim * length(x) + 1e-9)
  hy <- length(y) - 2 * floor(trim * length(y) + 1e-9)
  wx <- winsorised(x, trim)
  wy <- winsorised(y, trim)
  dx <- (length(x) - 1) * var(wx) / (hx * (hx - 1))
  dy <- (length(y) - 1) * var(wy) / (hy * (hy - 1))
  difference <- mean(x, trim) - mean(y, trim)
  if (paired) {
    error <- sqrt(dx + dy - 2 * (length(x) - 1) * cov(wx, wy) / (hx * (hx - 1)))
    freedom <- hx - 1
  } else {
    error <- sqrt(dx + dy)
    freedom <- (dx + dy)^2 / (dx^2 / (hx - 1) + dy^2 / (hy - 1))
  }
  half <- qt(0.975, freedom) * error
  expect(if (paired) "yuen_paired" else "yuen", c(a, b), trim,
         list(difference = difference, low = difference - half, high = difference + half, freedom = freedom,
              p = 2 * pt(-abs(difference / error), freedom)))
}
for (n in c(10, 50, 250))
  for (trim in c(0.1, 0.2, 0.25)) {
    yuen(paste0("x", n), paste0("y", n), trim, FALSE)
    yuen(paste0("x", n), paste0("y", n), trim, TRUE)
    yuen(paste0("v", n), paste0("w", n), trim, TRUE)
  }
yuen("x6", "y50", 0.2, FALSE)
plain <- t.test(samples$x10, samples$y10, paired = TRUE)
expect("yuen_paired", c("x10", "y10"), 0,
       list(difference = plain$estimate, low = plain$conf.int[1], high = plain$conf.int[2],
            freedom = plain$parameter, p = plain$p.value))

# Trend and change of level.
for (name in c("y50", "trend12"))
  expect("mann_kendall", name, "exact", c(p_values(function(one)
    cor.test(seq_along(samples[[name]]), samples[[name]], method = "kendall", alternative = one, exact = TRUE))))
for (name in c("y250", "w250"))
  expect("mann_kendall", name, "normal", score_sides(p_values(function(one)
    cor.test(seq_along(samples[[name]]), samples[[name]], method = "kendall", alternative = one, exact = FALSE,
             continuity = TRUE))))
for (name in c("trend50", "w50", "v250", "low200")) {
  x <- samples[[name]]
  n <- length(x)
  u <- sapply(seq_len(n - 1), function(t) sum(sign(outer(x[1:t], x[(t + 1):n], "-"))))
  k <- max(abs(u))
  x <- k / sqrt((n^3 + n^2) / 3)
  expect("pettitt", name, "approximate",
         list(statistic = k, before = which.max(abs(u)), p = min(1, 2 * exp(-2 * (x + 0.5826 / sqrt(n))^2)),
              published_p = min(1, 2 * exp(-6 * k^2 / (n^3 + n^2)))))
}
