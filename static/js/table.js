/* The entry page: everything that is at work while a result is typed at a table. */

import "./entry.js";
import "./save.js";
import "./unsent-banner.js";
import "./table-state.js";
import "./photo.js";
