// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev The cheatcodes used here, which forge provides at a fixed address. forge-std is not published as a package.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address) external;
    function warp(uint256) external;
    function chainId(uint256) external;
    function cool(address) external;
    function etch(address, bytes calldata) external;
    function load(address, bytes32) external view returns (bytes32);
    function store(address, bytes32, bytes32) external;
    function expectRevert(bytes calldata) external;
    function expectRevert(bytes4) external;
    function expectRevert() external;
    function expectEmit(bool, bool, bool, bool, address) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function snapshotState() external returns (uint256);
    function revertToState(uint256) external returns (bool);
    function toString(uint256) external pure returns (string memory);
    function assume(bool) external pure;
    function assertEq(uint256, uint256) external pure;
    function assertEq(uint256, uint256, string calldata) external pure;
    function assertEq(address, address) external pure;
    function assertEq(bytes32, bytes32) external pure;
    function assertEq(bool, bool) external pure;
    function assertEq(bool, bool, string calldata) external pure;
    function assertEq(string calldata, string calldata) external pure;
    function assertTrue(bool) external pure;
    function assertTrue(bool, string calldata) external pure;
    function assertFalse(bool) external pure;
    function assertFalse(bool, string calldata) external pure;
    function assertLe(uint256, uint256) external pure;
    function assertLe(uint256, uint256, string calldata) external pure;
    function assertGe(uint256, uint256) external pure;
}

abstract contract MiniTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool public constant IS_TEST = true;

    /// @dev Maps `value` into the range, of which it can reach every value.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        if (value >= low && value <= high) return value;
        return low + value % (high - low + 1);
    }
}
