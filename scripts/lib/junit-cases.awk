# ctest --output-junit -> one line a case: "passed NAME", "failed NAME" or "skipped NAME: REASON".
# ctest calls a case whose executable is missing "notrun" as well: only a skip the test asked for is one.

function finish() {
  if (name == "") return
  if (status == "run") print "passed", name
  else if (status == "disabled") print "skipped", name ": disabled in its source"
  else if (status == "notrun" && asked) print "skipped", name ": " (reason == "" ? "no reason given" : reason)
  else print "failed", name
  name = ""
}

function unescape(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

/^\t<testcase / {
  finish()
  name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); name = unescape(name)
  status = $0; sub(/.* status="/, "", status); sub(/".*/, "", status)
  asked = 0; reason = ""; reading = 0
}
/<skipped message="SKIP_/ { asked = 1 }
reading {
  if (/^\[  SKIPPED \]/) reading = 0
  else reason = reason (reason == "" ? "" : " ") unescape($0)
}
/: Skipped$/ && reason == "" { reading = 1 }
END { finish() }
