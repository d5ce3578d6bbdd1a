//! Free memory on Linux, from files in `/proc` and `/sys`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The number of free bytes, if the system reports it.
pub(crate) fn free() -> Option<u64> {
    let memory = read("/proc/meminfo")?;
    let available = kibibytes(&memory, "MemAvailable").or_else(|| kibibytes(&memory, "MemFree"));
    let of_group = left_to_group(kibibytes(&memory, "MemTotal").unwrap_or(u64::MAX));
    [of_group, address_space_left(), available].into_iter().flatten().min()
}

/// The text of a file. Names of processes and folders in it may contain arbitrary bytes.
fn read(path: impl AsRef<Path>) -> Option<String> {
    // Room for most of these files: their length is unknown, and each further read takes
    // microseconds.
    let mut text = Vec::with_capacity(1 << 13);
    File::open(path).ok()?.read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The bytes of an entry in a table with lines such as `MemFree:  1234 kB`.
fn kibibytes(table: &str, name: &str) -> Option<u64> {
    let is_entry = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
    let value = table.lines().find_map(is_entry)?;
    value.strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1 << 10)
}

/// The bytes that the process may still map, if its address space is limited.
fn address_space_left() -> Option<u64> {
    let limit = address_space_limit(&read("/proc/self/limits")?)?;
    let mapped = kibibytes(&read("/proc/self/status")?, "VmSize")?;
    Some(limit.saturating_sub(mapped))
}

/// The soft limit of the address space, in a table of limits.
fn address_space_limit(limits: &str) -> Option<u64> {
    let values = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    values.split_whitespace().next()?.parse().ok()
}

/// The bytes left to the control group of this process, if its limit is below the machine's memory.
fn left_to_group(total: u64) -> Option<u64> {
    /// The result of the first check. Without a limit the check is not repeated: it takes a tenth
    /// of a millisecond.
    static IS_LIMITED: OnceLock<bool> = OnceLock::new();
    if IS_LIMITED.get() == Some(&false) {
        return None;
    }
    let left = || {
        let groups = read("/proc/self/cgroup")?;
        let (hierarchy, group) = Hierarchy::of_memory(&groups)?;
        let place = hierarchy.place(group, &read("/proc/self/mountinfo")?)?;
        hierarchy.left(&place, total, |file| read(file))
    };
    let left = left();
    IS_LIMITED.get_or_init(|| left.is_some());
    left
}

/// A control group hierarchy: the type of its file system, and the file names in it.
#[derive(Debug, PartialEq)]
struct Hierarchy {
    file_system: &'static str,
    /// The files with the limit and the usage of a group.
    limit: &'static str,
    usage: &'static str,
    /// The entries of `memory.stat` that can be reclaimed: the file cache.
    files: &'static [&'static str],
}

/// Version 1, in which each resource has a hierarchy of its own.
const FIRST: Hierarchy = Hierarchy {
    file_system: "cgroup",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    files: &["total_active_file", "total_inactive_file"],
};

/// Version 2, with one hierarchy for all resources; it also counts metadata of files.
const SECOND: Hierarchy = Hierarchy {
    file_system: "cgroup2",
    limit: "memory.max",
    usage: "memory.current",
    files: &["active_file", "inactive_file", "slab_reclaimable"],
};

/// The folder of a group, and that of the topmost visible group.
#[derive(Debug, PartialEq)]
struct Place {
    folder: PathBuf,
    top: PathBuf,
}

impl Hierarchy {
    /// The hierarchy that limits the memory of a process, and the process's group in it.
    fn of_memory(groups: &str) -> Option<(&'static Self, &str)> {
        let fields = |line| {
            let (number, rest) = str::split_once(line, ':')?;
            let (resources, group) = rest.split_once(':')?;
            Some((number, resources, group))
        };
        let lines = || groups.lines().filter_map(fields);
        let first = lines().find(|(_, resources, _)| resources.split(',').any(|r| r == "memory"));
        let second =
            || lines().find(|(number, resources, _)| *number == "0" && resources.is_empty());
        let of_first = first.map(|(.., group)| (&FIRST, group));
        of_first.or_else(|| second().map(|(.., group)| (&SECOND, group)))
    }

    /// The place of a group in a table of mounts. A mount may show only a part of the hierarchy; if
    /// the group is not part of it, the topmost group of the mount is returned.
    fn place(&self, group: &str, mounts: &str) -> Option<Place> {
        let mounts = || mounts.lines().filter_map(|line| self.mount(line));
        let below = mounts().find_map(|(root, top)| {
            let path = Path::new(group).strip_prefix(root).ok()?;
            Some(Place { folder: Path::new(top).join(path), top: top.into() })
        });
        below.or_else(|| {
            mounts().next().map(|(_, top)| Place { folder: top.into(), top: top.into() })
        })
    }

    /// The group at the root of a mount of this hierarchy, and its folder.
    fn mount<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let (mount, source) = line.split_once(" - ")?;
        let mut source = source.split(' ');
        let is_of_type = source.next()? == self.file_system;
        let mut options = source.nth(1)?.split(',');
        let is_of_memory = *self == SECOND || options.any(|option| option == "memory");
        let mut mount = mount.split(' ').skip(3);
        (is_of_type && is_of_memory).then_some((mount.next()?, mount.next()?))
    }

    /// The fewest bytes left to a group or any of its ancestors, among limits below `total`.
    fn left(
        &self,
        place: &Place,
        total: u64,
        read: impl Fn(&Path) -> Option<String>,
    ) -> Option<u64> {
        let groups = place.folder.ancestors().take_while(|folder| folder.starts_with(&place.top));
        let left = groups.filter_map(|folder| {
            let number = |name| read(&folder.join(name))?.trim().parse::<u64>().ok();
            let limit = number(self.limit).filter(|&limit| limit < total)?;
            let used = number(self.usage).unwrap_or(0);
            let statistics = read(&folder.join("memory.stat")).unwrap_or_default();
            let in_files = self.files.iter().filter_map(|name| entry(&statistics, name));
            let in_files = in_files.fold(0, u64::saturating_add);
            Some(limit.saturating_sub(used.saturating_sub(in_files)))
        });
        left.min()
    }
}

/// An entry in a table with lines such as `anon 1234`.
fn entry(table: &str, name: &str) -> Option<u64> {
    let value = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn place(folder: &str, top: &str) -> Place {
        Place { folder: folder.into(), top: top.into() }
    }

    /// Mock files by their paths.
    fn files<'a>(all: &'a [(&str, &str)]) -> impl Fn(&Path) -> Option<String> + 'a {
        |path| {
            let found = all.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        }
    }

    #[test]
    fn this_system_tells() {
        let free = free().unwrap();
        let total = kibibytes(&read("/proc/meminfo").unwrap(), "MemTotal").unwrap();
        assert!(0 < free && free <= total, "{free} of {total}");
        assert!(kibibytes(&read("/proc/self/status").unwrap(), "VmSize").unwrap() > 0);
    }

    #[test]
    fn tables_are_in_kibibytes() {
        let table =
            "MemTotal:       24683652 kB\nMemAvailable:   23417536 kB\nHugePages_Total:       0\n";
        assert_eq!(kibibytes(table, "MemAvailable"), Some(23_417_536 << 10));
        assert_eq!(
            kibibytes("Name:\tVmSize: 1\nVmSize:\t    3892 kB\n", "VmSize"),
            Some(3892 << 10)
        );
        for name in ["Mem", "MemFree", "HugePages_Total"] {
            assert_eq!(kibibytes(table, name), None);
        }
        assert_eq!(kibibytes("MemFree: 18446744073709551615 kB", "MemFree"), None);
    }

    #[test]
    fn address_spaces_have_a_limit_or_none() {
        let limits = |value: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max locked memory         8388608              8388608              bytes     \n\
                 Max address space         {value:<20} unlimited            bytes     \n"
            )
        };
        assert_eq!(address_space_limit(&limits("4096000000")), Some(4_096_000_000));
        assert_eq!(address_space_limit(&limits("unlimited")), None);
        assert_eq!(address_space_limit(""), None);
    }

    #[test]
    fn the_group_of_a_process_is_that_of_the_hierarchy_with_memory() {
        let found = |groups| Hierarchy::of_memory(groups);
        assert_eq!(found("0::/user.slice/a:b.scope\n"), Some((&SECOND, "/user.slice/a:b.scope")));
        let both = "9:name=systemd:/\n4:cpu,memory:/docker/1f\n0::/\n";
        assert_eq!(found(both), Some((&FIRST, "/docker/1f")));
        assert_eq!(found("9:name=memory:/a\n1:cpu:/b\n0::/c\n"), Some((&SECOND, "/c")));
        assert_eq!(found("1:cpu:/b\nnothing\n"), None);
    }

    #[test]
    fn groups_are_folders_below_a_mount() {
        let second =
            "25 30 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let found = SECOND.place("/user.slice/a.scope", second);
        assert_eq!(found, Some(place("/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup")));
        assert_eq!(SECOND.place("/", second), Some(place("/sys/fs/cgroup", "/sys/fs/cgroup")));
        assert_eq!(FIRST.place("/", second), None);
        // A container sees its own group, by the name that it has outside.
        let first = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                     32 31 0:29 /docker/1f /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                     35 31 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let memory = "/sys/fs/cgroup/memory";
        assert_eq!(FIRST.place("/docker/1f", first), Some(place(memory, memory)));
        let deeper = FIRST.place("/docker/1f/job", first);
        assert_eq!(deeper, Some(place("/sys/fs/cgroup/memory/job", memory)));
        assert_eq!(FIRST.place("/elsewhere", first), Some(place(memory, memory)));
        assert_eq!(SECOND.place("/", first), None);
    }

    #[test]
    fn the_least_of_all_groups_above_is_left() {
        let place = place("/top/a/b", "/top");
        let left = |all: &[(&str, &str)]| SECOND.left(&place, 8 * GIB, files(all));
        // No limit; above the machine's memory; outside of the mount.
        assert_eq!(left(&[]), None);
        assert_eq!(left(&[("/top/a/b/memory.max", "max\n"), ("/memory.max", "1\n")]), None);
        assert_eq!(left(&[("/top/a/b/memory.max", "9000000000\n")]), None);
        // A parent has a limit, shared with others than this group.
        let parent = [
            ("/top/a/b/memory.max", "max\n"),
            ("/top/a/b/memory.current", "1000\n"),
            ("/top/a/memory.max", "1000000\n"),
            ("/top/a/memory.current", "600000\n"),
            (
                "/top/a/memory.stat",
                "anon 9\nfile 300000\ninactive_file 200000\nactive_file 50000\nslab_reclaimable 7\n",
            ),
        ];
        assert_eq!(left(&parent), Some(1_000_000 - (600_000 - 250_007)));
        let own = [("/top/a/b/memory.max", "500000\n"), ("/top/a/b/memory.current", "490000\n")];
        assert_eq!(left(&[&own[..], &parent[2..]].concat()), Some(10_000));
        // More in use than is allowed.
        let full = [("/top/a/memory.max", "10\n"), ("/top/a/memory.current", "20\n")];
        assert_eq!(left(&full), Some(0));
    }

    #[test]
    fn files_count_as_free_in_the_first_version_too() {
        let place = place("/memory/a", "/memory");
        let all = [
            ("/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/memory/a/memory.limit_in_bytes", "1073741824\n"),
            ("/memory/a/memory.usage_in_bytes", "900000000\n"),
            (
                "/memory/a/memory.stat",
                "active_file 1\ntotal_inactive_file 500000000\ntotal_active_file 300000000\n",
            ),
        ];
        assert_eq!(FIRST.left(&place, 8 * GIB, files(&all)), Some(GIB - 100_000_000));
    }
}
