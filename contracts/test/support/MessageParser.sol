// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentMessage} from "../../src/PaymentMessage.sol";

/// @dev Lets tests call the parser of payment messages.
contract MessageParser {
    function parse(bytes calldata message) external pure returns (bool, bytes3, uint256, int256) {
        return PaymentMessage.parse(message);
    }

    /// @dev Parses many messages in one call. Each has its length before it, in two bytes. The answer has a word for each: currency (3 bytes), minor
    /// units (8), seconds since 1970 (21); zero where a message is not well-formed.
    function parseAll(bytes calldata messages, uint256 count) external pure returns (bytes32[] memory readings) {
        readings = new bytes32[](count);
        uint256 position;
        for (uint256 i = 0; i < count; ++i) {
            uint256 start = position + 2;
            position = start + uint16(bytes2(messages[start - 2:start]));
            (bool wellFormed, bytes3 currency, uint256 minorUnits, int256 time) = PaymentMessage.parse(messages[start:position]);
            if (wellFormed) readings[i] = bytes32(abi.encodePacked(currency, uint64(minorUnits), int168(time)));
        }
    }
}
