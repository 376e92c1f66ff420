// SPDX-License-Identifier: Apache-2.0
// Vega-Lite specifications, one for each kind of chart: a function of the chart, its rows and the width in
// pixels, under the name of the kind.
export {bars} from "./bars.js";
export {isLarge, scaled, setLevels} from "./chart_tools.js";
export {bubble, heat, lines, sweep} from "./panels.js";
export {dots, forest, order, scatter} from "./points.js";
