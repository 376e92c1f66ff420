# SPDX-License-Identifier: Apache-2.0
#
# R's figures for tests/stats_models_test.cpp, from the samples and designs that make_models.py wrote:
#   Rscript make_models.R models.csv >> models.csv
# Needs MASS and lme4 (Debian: r-base-core r-cran-mass r-cran-lme4).
suppressMessages({library(MASS); library(lme4)})

lines <- readLines(commandArgs(TRUE)[1])
cells <- strsplit(lines, ",", fixed = TRUE)
samples <- list()
designs <- list()
for (one in cells) {
  if (one[1] == "sample") samples[[one[2]]] <- as.numeric(strsplit(one[3], " ")[[1]])
  if (one[1] == "design") designs[[one[2]]] <- list(
    factors = sub("=.*", "", strsplit(one[3], " ")[[1]]),
    groupings = if (length(one) > 3) strsplit(one[4], " ")[[1]] else character(0), rows = list())
  if (one[1] == "run") designs[[one[2]]]$rows[[length(designs[[one[2]]]$rows) + 1]] <- one[3:5]
}

expect <- function(fun, a, b, ...) {
  figures <- list(...)
  for (name in names(figures))
    cat(sprintf("expect,%s,%s,%s,%s,%.17g\n", fun, a, b, name, figures[[name]]))
}

# One figure whose name is put together.
put <- function(fun, a, b, figure, value) cat(sprintf("expect,%s,%s,%s,%s,%.17g\n", fun, a, b, figure, value))

cat(sprintf("# %s, MASS %s, lme4 %s\n", R.version.string, packageVersion("MASS"), packageVersion("lme4")))

# Ratios on logs -------------------------------------------------------------------------------------------------------
for (n in c(2, 3, 8, 30, 1000)) {
  a <- log(samples[[paste0("a", n)]]); b <- log(samples[[paste0("b", n)]])
  for (paired in c(TRUE, FALSE)) {
    name <- if (paired) "paired" else "welch"
    for (level in c(0.5, 0.9, 0.95, 0.999)) {
      t <- t.test(a, b, paired = paired, conf.level = level)
      expect(sprintf("interval %g", level), name, n, low = exp(t$conf.int[1]), high = exp(t$conf.int[2]))
    }
    expect("log_ratio", name, n, error = t$stderr, freedom = t$parameter, p = t$p.value)
    for (margin in c(0.01, 0.05, 0.3)) {
      below <- t.test(a, b, paired = paired, mu = -log1p(margin), alternative = "greater")$p.value
      above <- t.test(a, b, paired = paired, mu = log1p(margin), alternative = "less")$p.value
      ninety <- t.test(a, b, paired = paired, conf.level = 0.9)$conf.int
      expect(sprintf("equivalence %g", margin), name, n, p_below = below, p_above = above, p = max(below, above),
             low = exp(ninety[1]), high = exp(ninety[2]))
    }
  }
}

group <- function(name, model) {
  s <- summary(model)$coefficients; i <- confint(model)
  expect("over_units", "ratios8", name, ratio = exp(s[1]), error = s[2], p = s[4], low = exp(i[1]), high = exp(i[2]))
}
group("", lm(log(samples$ratios8) ~ 1))
group("weights8", lm(log(samples$ratios8) ~ 1, weights = samples$weights8))

# Spreads --------------------------------------------------------------------------------------------------------------
for (names in c("normal3 normal4", "normal20 skewed20 coarse20", "normal500 skewed500", "a8 b8", "a1000 b1000 a30")) {
  groups <- samples[strsplit(names, " ")[[1]]]
  values <- unlist(groups, use.names = FALSE); which <- factor(rep(seq_along(groups), lengths(groups)))
  distance <- abs(values - ave(values, which, FUN = median))
  test <- anova(lm(distance ~ which))
  expect("brown_forsythe", names, "R", statistic = test[1, 4], p = test[1, 5], within = test[2, 1])
  test <- bartlett.test(values, which)
  expect("bartlett", names, "R", statistic = test$statistic, p = test$p.value)
}
for (name in names(samples)) if (grepl("^(normal|skewed|coarse)", name) && diff(range(samples[[name]])) > 0) {
  test <- shapiro.test(samples[[name]])
  expect("shapiro", name, "R", w = test$statistic, p = test$p.value)
}

# Designs --------------------------------------------------------------------------------------------------------------
frame_of <- function(design) {
  numbers <- function(i) do.call(rbind, lapply(design$rows, function(r) as.numeric(strsplit(r[i], " ")[[1]])))
  d <- as.data.frame(numbers(1)); names(d) <- design$factors
  for (f in design$factors) d[[f]] <- factor(d[[f]])
  d$value <- as.numeric(sapply(design$rows, `[`, 3))
  if (length(design$groupings)) {
    groups <- numbers(2)
    for (k in seq_along(design$groupings))
      d[[design$groupings[k]]] <- factor(apply(groups[, 1:k, drop = FALSE], 1, paste, collapse = "."))
  }
  d
}

fixed_part <- function(design, order) {
  mains <- paste(design$factors, collapse = "+")
  if (order == 1) mains else sprintf("(%s)^%d", mains, order)
}
# Blocks of different machines have different names, so that + is the same as nesting. R then warns of a singular Error
# model: machines are sums of blocks. The strata are right all the same.
strata_of <- function(d, design, y, order, groupings = design$groupings) {
  error <- if (length(groupings)) sprintf("+ Error(%s)", paste(groupings, collapse = "+")) else ""
  fit <- aov(as.formula(paste(y, "~", fixed_part(design, order), error)), data = d)
  tables <- summary(fit)
  if (!length(groupings)) return(list(run = tables[[1]]))
  result <- lapply(tables, function(t) t[[1]])
  names(result) <- sub("Within", "run", sub("^Error: ", "", names(result)))
  result
}

for (name in names(designs)) {
  design <- designs[[name]]; d <- frame_of(design)
  finest <- if (length(design$groupings)) tail(design$groupings, 1) else NULL
  for (order in 1:min(3, length(design$factors))) for (scale in c("logs", "raw")) {
    y <- if (scale == "logs") "log(value)" else "value"
    which <- paste(scale, order)
    response <- if (scale == "logs") log(d$value) else d$value
    total <- sum((response - mean(response))^2)
    expect("anova", name, which, total = total)
    if (name != "single") {
      tables <- strata_of(d, design, y, order)
      for (stratum in names(tables)) {
        t <- tables[[stratum]]
        for (i in seq_len(nrow(t))) {
          term <- trimws(rownames(t)[i])
          label <- if (term == "Residuals") paste("error", stratum) else term
          put("anova", name, which, paste(label, "df"), t[i, "Df"])
          put("anova", name, which, paste(label, "ss"), t[i, "Sum Sq"])
          if (term != "Residuals") {
            put("anova", name, which, paste(label, "share"), t[i, "Sum Sq"] / total)
            if ("F value" %in% colnames(t)) {
              put("anova", name, which, paste(label, "F"), t[i, "F value"])
              put("anova", name, which, paste(label, "p"), t[i, "Pr(>F)"])
            }
          }
        }
      }
    }
    for (f in design$factors) {
      means <- tapply(response, d[[f]], mean)
      shown <- if (scale == "logs") exp else identity
      for (i in seq_along(means)) {
        put("anova", name, which, paste(f, "mean", i - 1), shown(means[[i]]))
        put("anova", name, which, paste(f, "effect", i - 1), shown(means[[i]] - mean(response)))
      }
    }
    # Residual checks
    blocks <- if (is.null(finest) || nlevels(d[[finest]]) < 2) "1" else finest
    rest <- lm(as.formula(paste(y, "~", blocks, "+", fixed_part(design, order))), data = d)
    if (rest$df.residual > 0) {
      test <- shapiro.test(residuals(rest))
      expect("checks", name, which, normality_w = test$statistic, normality_p = test$p.value)
    }
    additive <- lm(as.formula(paste(y, "~", blocks, "+", paste(design$factors, collapse = "+"))), data = d)
    d$squares <- fitted(additive)^2
    more <- update(additive, . ~ . + squares)
    if (more$df.residual > 0 && !is.na(coef(more)["squares"]) && more$rank > additive$rank) {
      test <- anova(additive, more)
      expect("checks", name, which, additivity_f = test[2, "F"], additivity_p = test[2, "Pr(>F)"],
             additivity_freedom = test[2, "Res.Df"])
    }
    cell <- interaction(d[design$factors])
    group_size <- if (is.null(finest)) nrow(d) else nrow(d) / nlevels(d[[finest]])
    if (nrow(d) / nlevels(cell) >= 2 && group_size >= 3) {
      inside <- residuals(lm(as.formula(paste(y, "~", blocks)), data = d))
      if (nrow(d) / nlevels(cell) >= 3) {
        distance <- abs(inside - ave(inside, cell, FUN = median))
        test <- anova(lm(distance ~ cell))
        expect("checks", name, which, spread_statistic = test[1, 4], spread_p = test[1, 5])
      } else {
        test <- bartlett.test(inside, cell)
        expect("checks", name, which, spread_statistic = test$statistic, spread_p = test$p.value)
      }
    }
    if (scale == "raw" && rest$df.residual > 0) {
      likelihood <- boxcox(update(rest, y = TRUE, qr = TRUE), lambda = c(0, 1), plotit = FALSE)$y
      expect("checks", name, which, gain = likelihood[1] - likelihood[2])
    }
  }
}

# Mixed models: closed form from aov's strata, pooled by hand; and lmer's own search for the maximum ---------------------
for (name in c("blocks", "split", "machines", "large", "wide", "evenblocks", "evenboth", "evenmachines", "quiet")) {
  design <- designs[[name]]; d <- frame_of(design); d$y <- log(d$value)
  order <- min(2, length(design$factors))
  # Leave out groupings until no component is negative. Leaving out a coarse one is the same as pooling.
  groupings <- design$groupings
  repeat {
    tables <- strata_of(d, design, "y", order, groupings)[c(groupings, "run")]
    mean_squares <- sapply(tables, function(t) t[nrow(t), "Mean Sq"])
    freedoms <- sapply(tables, function(t) t[nrow(t), "Df"])
    bad <- which(diff(mean_squares) >= 0)
    if (!length(bad)) break
    groupings <- groupings[-tail(bad, 1)]
  }
  for (g in setdiff(design$groupings, groupings)) put("mixed", name, "R", paste("component", g), 0)
  for (k in seq_along(mean_squares)) {
    label <- names(mean_squares)[k]
    size <- if (label == "run") 1 else nrow(d) / nlevels(d[[label]])
    finer <- if (label == "run") 0 else mean_squares[[k + 1]]
    put("mixed", name, "R", paste("component", label), (mean_squares[[k]] - finer) / size)
  }
  for (f in design$factors) {
    at <- which(sapply(tables, function(t) f %in% trimws(rownames(t))))
    error <- sqrt(2 * mean_squares[[at]] * nlevels(d[[f]]) / nrow(d))
    means <- tapply(d$y, d[[f]], mean)
    t <- qt(0.975, freedoms[[at]])
    put("mixed", name, "R", paste(f, "ratio"), exp(means[[1]] - means[[2]]))
    put("mixed", name, "R", paste(f, "error"), error)
    put("mixed", name, "R", paste(f, "freedom"), freedoms[[at]])
    put("mixed", name, "R", paste(f, "low"), exp(means[[1]] - means[[2]] - t * error))
    put("mixed", name, "R", paste(f, "high"), exp(means[[1]] - means[[2]] + t * error))
    table <- tables[[at]]
    row <- which(trimws(rownames(table)) == f)
    put("mixed", name, "R", paste(f, "F"), table[row, "F value"])
    put("mixed", name, "R", paste(f, "p"), table[row, "Pr(>F)"])
  }
  old <- options(contrasts = c("contr.sum", "contr.poly"))
  random <- paste(sprintf("(1|%s)", design$groupings), collapse = "+")
  fit <- suppressMessages(lmer(as.formula(paste("y ~", fixed_part(design, order), "+", random)), data = d, REML = TRUE,
    control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5), calc.derivs = FALSE)))
  options(old)
  for (g in design$groupings) put("mixed", name, "lmer", paste("component", g), VarCorr(fit)[[g]][1])
  put("mixed", name, "lmer", paste("component run"), sigma(fit)^2)
  v <- as.matrix(vcov(fit)); b <- fixef(fit)
  for (f in design$factors) {
    n <- nlevels(d[[f]])
    code <- contr.sum(n)
    index <- match(paste0(f, 1:(n - 1)), names(b))
    difference <- code[1, ] - code[2, ]
    put("mixed", name, "lmer", paste(f, "ratio"), exp(sum(difference * b[index])))
    put("mixed", name, "lmer", paste(f, "error"), sqrt(drop(difference %*% v[index, index] %*% difference)))
    level <- c(1, code[1, ]); index <- c(1, index)
    put("mixed", name, "lmer", paste(f, "mean"), exp(sum(level * b[index])))
    put("mixed", name, "lmer", paste(f, "mean_error"), sqrt(drop(level %*% v[index, index] %*% level)))
  }
}
