// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title Checks whether an account signed a hash
/// @notice By key (ECDSA) or, for an account with code, by what the account itself says (ERC-1271). The key comes first for every account,
/// because an account under EIP-7702 has code and yet signs with its key.
library HolderSignature {
    /// @dev What a call may charge before it divides up the gas: a cold access of 2,600 (the account's EIP-7702 delegate), and the few
    /// instructions between our look at the gas and the call.
    uint256 private constant CALL_OVERHEAD = 10_000;

    /// @notice Too little gas is left to give a contract account its full share. Nothing was decided; send again with more gas.
    error InsufficientGasForSignature(uint256 required, uint256 available);

    /// @notice Whether `account` signed `hash`, by key or by contract. A contract may spend all gas but a 64th.
    function isValid(address account, bytes32 hash, bytes memory signature) internal view returns (bool) {
        return isSignedByKey(account, hash, signature) || _approves(account, _question(hash, signature), gasleft());
    }

    /// @notice Whether the key of `account` signed `hash`.
    /// @dev Takes `v` as 27/28 or 0/1 and any `s`, as wallets and their libraries do. Both forms of a signature say the same, so nothing may
    /// be decided once per signature.
    function isSignedByKey(address account, bytes32 hash, bytes memory signature) internal pure returns (bool) {
        if (signature.length != 65) return false;
        bytes32 r;
        bytes32 s;
        uint8 v;
        // Assembly, because Solidity reads bytes in memory one by one.
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        address signer = ecrecover(hash, v < 27 ? v + 27 : v, r, s);
        return signer != address(0) && signer == account;
    }

    /// @notice Whether the contract at `account` approves `hash`, spending no more than `gasLimit`. For any amount of gas it answers the same or
    /// reverts.
    function isApprovedWithin(address account, bytes32 hash, bytes memory signature, uint256 gasLimit) internal view returns (bool) {
        if (account.code.length == 0) return false;
        // Before we look at the gas: the memory for a signature of 65,535 bytes takes 37,000 and more.
        bytes memory question = _question(hash, signature);
        // Given less than its share a sound wallet would fail, and that failure would stand as its answer for good. A call passes on at most 63
        // of 64 parts of the gas (EIP-150).
        uint256 required = gasLimit * 64 / 63 + CALL_OVERHEAD;
        if (gasleft() < required) revert InsufficientGasForSignature(required, gasleft());
        return _approves(account, question, gasLimit);
    }

    function _question(bytes32 hash, bytes memory signature) private pure returns (bytes memory) {
        return abi.encodeCall(IERC1271.isValidSignature, (hash, signature));
    }

    function _approves(address account, bytes memory question, uint256 gasLimit) private view returns (bool) {
        bool success;
        bytes32 answer;
        uint256 size;
        // Assembly, because a call in Solidity copies whatever the wallet returns into our memory: 440 kB, which its share of gas pays for,
        // cost another 450,000 gas each time (test_returnBombCostsLittle). This copies at most 32 bytes.
        assembly ("memory-safe") {
            success := staticcall(gasLimit, account, add(question, 0x20), mload(question), 0x00, 0x20)
            answer := mload(0x00)
            size := returndatasize()
        }
        return success && size >= 32 && answer == bytes32(IERC1271.isValidSignature.selector);
    }
}
